import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EventStoreSettingError } from './setting-error.js';

/** Answers what is wrong with a value, or nothing. */
type Check = (value: string) => string | undefined;

const wholeFrom =
  (least: number, off?: string): Check =>
  (value) =>
    value === off || (/^\d{1,9}$/.test(value) && Number(value) >= least)
      ? undefined
      : `a whole number from ${String(least)}${off === undefined ? '' : `, or ${off} for off`}`;

const only =
  (...allowed: string[]): Check =>
  (value) =>
    allowed.includes(value) ? undefined : allowed.join(' or ');

const file: Check = (value) => {
  try {
    readFileSync(value);
    return undefined;
  } catch (error) {
    return `a file that can be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`;
  }
};

const certificateFile: Check = (value) => {
  const unreadable = file(value);
  if (unreadable !== undefined) return unreadable;
  try {
    new X509Certificate(readFileSync(value));
    return undefined;
  } catch {
    return 'a file with a certificate in PEM form';
  }
};

const anything: Check = () => undefined;

/**
 * What may be set, and how. The clients know more: an adapter that reads for decisions needs the leader, and errors as
 * errors; `tlsVerifyCert=false` has no effect in them. Deadline and keep-alive in milliseconds, gossip in seconds.
 */
const checks = {
  tls: only('true', 'false'),
  tlsCAFile: certificateFile,
  tlsVerifyCert: only('true'),
  userCertFile: certificateFile,
  userKeyFile: file,
  connectionName: anything,
  defaultDeadline: wholeFrom(1_000),
  keepAliveInterval: wholeFrom(10_000, '-1'),
  keepAliveTimeout: wholeFrom(1_000, '-1'),
  maxDiscoverAttempts: wholeFrom(1),
  discoveryInterval: wholeFrom(1),
  gossipTimeout: wholeFrom(1),
  nodePreference: only('leader'),
  throwOnAppendFailure: only('true'),
} satisfies Record<string, Check>;

export type ConnectionOption = keyof typeof checks;

const flat = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');
const names = new Map(
  Object.keys(checks).map(
    (name) => [flat(name), name as ConnectionOption] satisfies [string, ConnectionOption],
  ),
);

/**
 * The options behind the `?`, by the names the clients use.
 * @throws EventStoreSettingError that names the option
 */
export const checkOptions = (query: string): ReadonlyMap<ConnectionOption, string> => {
  const options = new Map<ConnectionOption, string>();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [name, value] = readPair(pair);
    if (options.has(name)) throw new EventStoreSettingError(`option ${name} is given twice`);
    const wanted = checks[name](value);
    if (wanted !== undefined) {
      // A password with a raw ? may end here.
      const given = value.includes('@') ? name : `${name}=${value}`;
      throw new EventStoreSettingError(`option ${given} is not allowed: ${wanted}`);
    }
    options.set(name, value);
  }
  checkTogether(options);
  return options;
};

const readPair = (pair: string): [ConnectionOption, string] => {
  const equals = pair.indexOf('=');
  const given = equals < 0 ? pair : pair.slice(0, equals);
  const name = names.get(flat(given));
  if (name === undefined)
    throw new EventStoreSettingError(
      `unknown option ${shown(given)}; known are ${Object.keys(checks).join(', ')}`,
    );
  const value = equals < 0 ? '' : decoded(name, pair.slice(equals + 1).trim());
  if (value === '') throw new EventStoreSettingError(`option ${name} has no value`);
  return [name, value];
};

/** A password with a raw ? ends up among the options: what does not look like a name is not repeated. */
const shown = (name: string): string => (/^[A-Za-z_-]{1,40}$/.test(name) ? name : '(not a name)');

const decoded = (name: ConnectionOption, value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new EventStoreSettingError(`option ${name} is not percent-encoded, a % itself is written %25`);
  }
};

const checkTogether = (options: ReadonlyMap<ConnectionOption, string>): void => {
  if (options.has('userCertFile') !== options.has('userKeyFile'))
    throw new EventStoreSettingError('userCertFile and userKeyFile are given together');
  if (options.get('tls') !== 'false') return;
  for (const name of ['tlsCAFile', 'userCertFile'] as const)
    if (options.has(name)) throw new EventStoreSettingError(`option ${name} has no meaning with tls=false`);
};
