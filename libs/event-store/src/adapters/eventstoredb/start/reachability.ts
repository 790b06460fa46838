import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ConnectionSettings, Host } from '../settings/connection-string.js';

/**
 * What a connection of our own to a host came to. `mistake`: waiting will not help, and why. `waiting`: nobody answers
 * there yet. `open`: nothing is wrong with the way to it.
 */
export type Reached =
  | { readonly kind: 'open' }
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'mistake'; readonly reason: string };

type Settings = Pick<ConnectionSettings, 'tls' | 'caFile'>;

/**
 * The clients say `14 UNAVAILABLE` for a host that is not up yet and for a certificate that nobody vouches for alike.
 * So we look ourselves, host by host: TCP first, then what a TLS handshake says.
 */
export const reach = async (host: Host, settings: Settings, milliseconds: number): Promise<Reached> => {
  const plain = await firstWord(() => connectPlain(host.port, host.name), 'connect', milliseconds);
  if (plain !== undefined) return { kind: 'waiting', reason: `${address(host)}: ${plain}` };
  const ca = settings.caFile === undefined ? undefined : readFileSync(settings.caFile);
  const secure = await firstWord(
    () =>
      connectTls({
        host: host.name,
        port: host.port,
        ALPNProtocols: ['h2'],
        // A name for the certificate; an address has none.
        ...(!isAddress(host.name) && { servername: host.name }),
        ...(ca && { ca }),
        rejectUnauthorized: settings.tls,
      }),
    'secureConnect',
    milliseconds,
  );
  return settings.tls ? secured(host, secure) : unsecured(host, secure);
};

const secured = (host: Host, trouble: string | undefined): Reached => {
  if (trouble === undefined) return { kind: 'open' };
  if (isCertificateTrouble(trouble))
    return {
      kind: 'mistake',
      reason: `the certificate of ${address(host)} is not trusted (${trouble}): give its authority as tlsCAFile`,
    };
  if (isNoTls(trouble))
    return {
      kind: 'mistake',
      reason: `${address(host)} does not speak TLS: add tls=false, or turn TLS on there`,
    };
  return { kind: 'waiting', reason: `${address(host)}: ${trouble}` };
};

const unsecured = (host: Host, trouble: string | undefined): Reached =>
  trouble === undefined
    ? { kind: 'mistake', reason: `${address(host)} speaks TLS: leave out tls=false` }
    : { kind: 'open' };

/** What went wrong before the event came, or nothing. */
const firstWord = (
  open: () => Socket | TLSSocket,
  event: 'connect' | 'secureConnect',
  milliseconds: number,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = open();
    const answer = (trouble: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(trouble);
    };
    const timer = setTimeout(() => answer('no answer in time'), milliseconds);
    socket.once(event, () => answer(undefined));
    socket.once('close', () => answer('closed the connection'));
    // It stays: a second error after the first must find a listener.
    socket.on('error', (error: NodeJS.ErrnoException) => answer(error.code ?? error.message));
  });

const isCertificateTrouble = (code: string): boolean =>
  /CERT|UNABLE_TO_|SELF_SIGNED|ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/.test(code);

const isNoTls = (code: string): boolean =>
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|EPROTO|HTTP_REQUEST/.test(code);

const isAddress = (name: string): boolean => /^[\d.]+$/.test(name);

const address = ({ name, port }: Host): string => `${name}:${String(port)}`;
