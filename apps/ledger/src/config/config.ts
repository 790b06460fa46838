import type { CancelMode } from '#domain';
import {
  checkDeployment,
  eventStoreSetting,
  roles,
  rolesSetting,
  viewsSetting,
  type EventStoreSetting,
  type Role,
  type ViewsSetting,
} from './deployment.js';
import {
  baseUrl,
  cidrs,
  ConfigError,
  integer,
  isLoopback,
  oneOf,
  pattern,
  read,
  Refusal,
  type Cidr,
  type Environment,
  type Reader,
} from './variables.js';

export type AuthKind = 'none' | 'trusted-headers';
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** How this process runs; read once, from the environment. */
export interface LedgerConfig {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Folder of the embedded files; nothing is written there where events and views are on servers. */
  readonly dataDir: string;
  readonly eventStore: EventStoreSetting;
  readonly views: ViewsSetting;
  /** What this instance does; all of it unless instances share a PostgreSQL. */
  readonly roles: readonly Role[];
  /** Prefix of every stream: letters and digits. */
  readonly namespace: string;
  /** What the agent card says; absent: from host and port. No trailing slash. */
  readonly publicUrl?: string;
  readonly auth: AuthKind;
  /** Peers whose `Ledger-*` headers count, beside this machine when only it can connect. */
  readonly trustedProxies: readonly Cidr[];
  /** Memory for hot folds, MiB; 0 is off. */
  readonly hotFoldsMiB: number;
  /** Longest wait of a blocking send, a cooperative cancel or a certificate, milliseconds. */
  readonly blockingTimeoutMs: number;
  /** Of a cancel that names none. */
  readonly cancelMode: CancelMode;
  readonly log: LogLevel;
  /** `LEDGER_*` variables that mean nothing to this version. */
  readonly unknown: readonly string[];
}

const hiddenValue = '***';

/** Variables that a later version reads; today they change nothing, but a bad value is one already. */
const laterVariables: Readonly<Record<string, Reader<unknown>>> = {
  LEDGER_GRPC_PORT: integer(0, 65_535, 'a port number'),
  LEDGER_SECRET_KEY: pattern(/^[0-9a-fA-F]{64}$/, '64 hexadecimal characters'),
  LEDGER_PUSH_ALLOW: (text) => text,
  LEDGER_PEERS: (text) => text,
  LEDGER_RETENTION_DAYS: integer(1, 36_500, 'days'),
};

/** @throws ConfigError; it does not repeat the secret key */
const checkLater = (environment: Environment): void => {
  for (const [name, reader] of Object.entries(laterVariables)) {
    const text = environment[name];
    const value = text === undefined || text === '' ? undefined : reader(text);
    if (!(value instanceof Refusal)) continue;
    throw new ConfigError(name, name === 'LEDGER_SECRET_KEY' ? hiddenValue : String(text), value.allowed);
  }
};

const knownVariables = new Set([
  'LEDGER_HOST',
  'LEDGER_PORT',
  'LEDGER_DATA_DIR',
  'LEDGER_EVENT_STORE',
  'LEDGER_VIEWS',
  'LEDGER_ROLES',
  'LEDGER_NAMESPACE',
  'LEDGER_PUBLIC_URL',
  'LEDGER_AUTH',
  'LEDGER_TRUSTED_PROXIES',
  'LEDGER_HOT_FOLDS_MIB',
  'LEDGER_BLOCKING_TIMEOUT_MS',
  'LEDGER_CANCEL_MODE',
  'LEDGER_LOG',
]);

/** Callers that headers name are only as good as whoever may send them. */
const checkReach = (config: LedgerConfig): LedgerConfig => {
  if (isLoopback(config.host)) return config;
  if (config.auth === 'none') {
    const allowed = `none serves on a loopback host only (LEDGER_HOST=${config.host}); set trusted-headers`;
    throw new ConfigError('LEDGER_AUTH', 'none', allowed);
  }
  if (config.trustedProxies.length === 0) {
    const allowed = `off loopback trusted-headers needs LEDGER_TRUSTED_PROXIES, CIDRs separated by commas`;
    throw new ConfigError('LEDGER_AUTH', config.auth, allowed);
  }
  return config;
};

const unknownOf = (environment: Environment): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith('LEDGER_') && !knownVariables.has(name))
    .sort();

/** What is good by itself, and is not in this company. @throws ConfigError */
const checkTogether = (config: LedgerConfig): LedgerConfig => {
  checkDeployment(config);
  return checkReach(config);
};

/** @throws ConfigError */
export const readConfig = (environment: Environment): LedgerConfig => {
  const of = <Value>(name: string, fallback: Value, reader: Reader<Value>): Value =>
    read(environment, name, fallback, reader);
  checkLater(environment);
  const publicUrl = of<string | undefined>('LEDGER_PUBLIC_URL', undefined, baseUrl);
  return checkTogether({
    host: of('LEDGER_HOST', '127.0.0.1', pattern(/^[\w.:-]{1,253}$/, 'a host name or an IP address')),
    port: of('LEDGER_PORT', 3_000, integer(0, 65_535, 'a port number')),
    dataDir: of('LEDGER_DATA_DIR', './data', pattern(/^[^\0]{1,4096}$/, 'the path of a folder')),
    eventStore: of('LEDGER_EVENT_STORE', { kind: 'embedded' }, eventStoreSetting),
    views: of('LEDGER_VIEWS', { kind: 'sqlite' }, viewsSetting),
    roles: of('LEDGER_ROLES', roles, rolesSetting),
    namespace: of('LEDGER_NAMESPACE', 'ledger', pattern(/^[A-Za-z0-9]{1,64}$/, '1 to 64 letters and digits')),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    auth: of('LEDGER_AUTH', 'none', oneOf<AuthKind>(['none', 'trusted-headers'], ['api-key', 'jwt'])),
    trustedProxies: of('LEDGER_TRUSTED_PROXIES', [], cidrs),
    hotFoldsMiB: of('LEDGER_HOT_FOLDS_MIB', 64, integer(0, 65_536, 'MiB (0 is off)')),
    blockingTimeoutMs: of('LEDGER_BLOCKING_TIMEOUT_MS', 30_000, integer(1, 3_600_000, 'milliseconds')),
    cancelMode: of('LEDGER_CANCEL_MODE', 'immediate', oneOf<CancelMode>(['immediate', 'cooperative'])),
    log: of('LEDGER_LOG', 'info', oneOf(logLevels)),
    unknown: unknownOf(environment).filter((name) => !Object.hasOwn(laterVariables, name)),
  });
};
