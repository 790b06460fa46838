import { gossipTimeoutSeconds, wireDeadlineMilliseconds } from '../limits.js';
import { checkOptions, type ConnectionOption } from './connection-options.js';
import { EventStoreSettingError } from './setting-error.js';

/** Which client package a connection string asks for. */
export type ClientPackage = 'db-client' | 'kurrentdb-client';

export interface Host {
  readonly name: string;
  readonly port: number;
}

/** A connection string that was understood. */
export interface ConnectionSettings {
  readonly clientPackage: ClientPackage;
  readonly hosts: readonly Host[];
  readonly tls: boolean;
  readonly caFile?: string;
  readonly user?: string;
  /** What an append is given on the wire, milliseconds. */
  readonly wireDeadline: number;
  /** For the client, password included. Never for a log. */
  readonly forClient: string;
  /** The same without the password and the options. */
  readonly forLogs: string;
}

interface Parts {
  readonly scheme: string;
  readonly credentials: string | undefined;
  readonly hosts: string;
  readonly query: string;
}

const schemes = new Map<string, ClientPackage>([
  ['esdb', 'db-client'],
  ['esdb+discover', 'db-client'],
  ['kurrentdb', 'kurrentdb-client'],
  ['kurrentdb+discover', 'kurrentdb-client'],
]);
const portDefault = 2113;

/**
 * Understands `esdb://[user:password@]host[:port][,host…][?option=value&…]` (also `esdb+discover`, `kurrentdb`,
 * `kurrentdb+discover`) by ourselves: the clients ignore an option that they do not know, and print the whole string
 * with its password while they say so.
 * @throws EventStoreSettingError
 */
export const parseConnectionString = (text: string): ConnectionSettings => {
  const parts = split(text.trim());
  const clientPackage = schemes.get(parts.scheme);
  if (clientPackage === undefined)
    throw new EventStoreSettingError(
      `a connection string begins with ${[...schemes.keys()].join('://, ')}://`,
    );
  const hosts = readHosts(parts);
  const options = checkOptions(parts.query);
  const credentials = parts.credentials === undefined ? undefined : readCredentials(parts.credentials);
  const tls = options.get('tls') !== 'false';
  if (!tls && credentials !== undefined)
    throw new EventStoreSettingError(
      'user and password with tls=false: the client would drop them in silence',
    );
  const addresses = hosts.map(({ name, port }) => `${name}:${String(port)}`).join(',');
  const caFile = options.get('tlsCAFile');
  return {
    clientPackage,
    hosts,
    tls,
    ...(caFile !== undefined && { caFile }),
    ...(credentials && { user: credentials.user }),
    wireDeadline: Number(options.get('defaultDeadline') ?? wireDeadlineMilliseconds),
    forClient: `${parts.scheme}://${userInfo(credentials)}${addresses}?${queryOf(options)}`,
    forLogs: `${parts.scheme}://${addresses}`,
  };
};

const split = (text: string): Parts => {
  const scheme = /^([^:/?#@]*):\/\//.exec(text);
  const rest = text.slice(scheme?.[0].length ?? 0);
  const [authority = '', ...query] = rest.split('?');
  if (query.length > 1) throw new EventStoreSettingError('a second ? in the connection string');
  const at = authority.lastIndexOf('@');
  return {
    scheme: scheme?.[1] ?? '',
    credentials: at < 0 ? undefined : authority.slice(0, at),
    hosts: authority.slice(at + 1).replace(/\/+$/, ''),
    query: query[0] ?? '',
  };
};

const readHosts = ({ scheme, hosts }: Parts): readonly Host[] => {
  const read = hosts.split(',').map(readHost);
  if (read.length > 1 && scheme.endsWith('+discover'))
    throw new EventStoreSettingError(`${scheme} takes one host, whose addresses are the nodes`);
  return read;
};

const readHost = (text: string): Host => {
  const [, name, port] = /^([\w.-]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = Number(port ?? portDefault);
  // A password with a raw / or ? ends up here: it is not repeated.
  if (name === undefined || number < 1 || number > 65_535)
    throw new EventStoreSettingError('a host of the connection string is not of the form name or name:port');
  return { name, port: number };
};

interface Credentials {
  readonly user: string;
  readonly password: string;
}

const readCredentials = (text: string): Credentials => {
  const [user = '', password = '', ...more] = text.split(':');
  if (more.length > 0 || text.includes('@'))
    throw new EventStoreSettingError('in user and password a colon is written %3A and an @ is written %40');
  if (user === '' || password === '')
    throw new EventStoreSettingError('before the @ of the connection string stands user:password');
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    throw new EventStoreSettingError('user and password are written percent-encoded, a % itself as %25');
  }
};

const userInfo = (credentials: Credentials | undefined): string =>
  credentials === undefined
    ? ''
    : `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`;

const queryOf = (options: ReadonlyMap<ConnectionOption, string>): string => {
  const given = new Map<ConnectionOption, string>([
    ['defaultDeadline', String(wireDeadlineMilliseconds)],
    ['gossipTimeout', String(gossipTimeoutSeconds)],
    ['nodePreference', 'leader'],
    ...options,
  ]);
  return [...given].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
};
