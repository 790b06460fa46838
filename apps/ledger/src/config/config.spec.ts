import { readConfig } from './config.js';
import { placeOf } from './deployment.js';
import { ConfigError, isLoopback } from './variables.js';

const refusal = (environment: Record<string, string>): ConfigError => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
};

describe('configuration', () => {
  it('serves on loopback, embedded, without callers, when nothing is set', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      dataDir: './data',
      eventStore: { kind: 'embedded' },
      views: { kind: 'sqlite' },
      roles: ['api', 'projector', 'saga', 'timers'],
      namespace: 'ledger',
      auth: 'none',
      trustedProxies: [],
      hotFoldsMiB: 64,
      blockingTimeoutMs: 30_000,
      cancelMode: 'immediate',
      log: 'info',
      unknown: [],
    });
  });

  it('counts an empty variable as an absent one', () => {
    expect(readConfig({ LEDGER_PORT: '' }).port).toBe(3_000);
  });

  it.each([
    ['LEDGER_PORT', '0', 'port', 0],
    ['LEDGER_PORT', '65535', 'port', 65_535],
    ['LEDGER_NAMESPACE', 'Ledger2', 'namespace', 'Ledger2'],
    ['LEDGER_PUBLIC_URL', 'https://ledger.example/base/', 'publicUrl', 'https://ledger.example/base'],
    ['LEDGER_HOT_FOLDS_MIB', '0', 'hotFoldsMiB', 0],
    ['LEDGER_BLOCKING_TIMEOUT_MS', '250', 'blockingTimeoutMs', 250],
    ['LEDGER_LOG', 'silent', 'log', 'silent'],
    ['LEDGER_HOST', 'localhost', 'host', 'localhost'],
    ['LEDGER_CANCEL_MODE', 'cooperative', 'cancelMode', 'cooperative'],
  ] as const)('%s=%s is read', (variable, value, field, expected) => {
    expect(readConfig({ [variable]: value })[field]).toBe(expected);
  });

  it.each([
    ['LEDGER_PORT', 'abc', '0 to 65535'],
    ['LEDGER_PORT', '65536', '0 to 65535'],
    ['LEDGER_PORT', '-1', '0 to 65535'],
    ['LEDGER_PORT', '30.5', '0 to 65535'],
    ['LEDGER_EVENT_STORE', 'memory', 'kurrentdb+discover://'],
    ['LEDGER_EVENT_STORE', 'http://localhost:2113', 'esdb://host:2113'],
    ['LEDGER_EVENT_STORE', 'esdb://', 'esdb://host:2113'],
    ['LEDGER_VIEWS', 'mysql://localhost/views', 'postgres://user@host:5432/database'],
    ['LEDGER_VIEWS', 'postgres://', 'postgres://user@host:5432/database'],
    ['LEDGER_VIEWS', 'postgres://localhost/views', 'LEDGER_EVENT_STORE must be esdb://'],
    ['LEDGER_ROLES', 'api,push', 'api, projector, saga, timers'],
    ['LEDGER_ROLES', 'all,api', 'api, projector, saga, timers'],
    ['LEDGER_ROLES', 'api', 'share a PostgreSQL'],
    ['LEDGER_NAMESPACE', 'my-ledger', 'letters and digits'],
    ['LEDGER_PUBLIC_URL', 'ledger.example', 'http'],
    ['LEDGER_PUBLIC_URL', 'ftp://ledger.example', 'http'],
    ['LEDGER_AUTH', 'jwt', 'today none, trusted-headers'],
    ['LEDGER_AUTH', 'api-key', 'today none, trusted-headers'],
    ['LEDGER_TRUSTED_PROXIES', '10.0.0.1', 'CIDRs'],
    ['LEDGER_HOT_FOLDS_MIB', '-5', 'MiB'],
    ['LEDGER_BLOCKING_TIMEOUT_MS', '0', 'milliseconds'],
    ['LEDGER_BLOCKING_TIMEOUT_MS', '30s', 'milliseconds'],
    ['LEDGER_CANCEL_MODE', 'gentle', 'today immediate, cooperative'],
    ['LEDGER_GRPC_PORT', 'abc', '0 to 65535'],
    ['LEDGER_RETENTION_DAYS', '0', 'days'],
    ['LEDGER_LOG', 'verbose', 'fatal, error, warn, info, debug, trace, silent'],
  ])(
    '%s=%s stops the start with one line that names it, its value and what is allowed',
    (variable, value, allowed) => {
      const { message } = refusal({ [variable]: value });
      expect(message).toContain(`${variable}=${JSON.stringify(value)}`);
      expect(message).toContain(allowed);
      expect(message).not.toContain('\n');
    },
  );

  it.each([
    ['LEDGER_VIEWS', 'postgres://ledger:s3cret@localhost/views'],
    ['LEDGER_VIEWS', 'postgres:/ledger:s3cret@localhost/views'],
    ['LEDGER_VIEWS', 'postgres://ledger:x/s3cret@y@localhost/views'],
    ['LEDGER_VIEWS', 'postgres://localhost/views?user=ledger&password=s3cret'],
    ['LEDGER_EVENT_STORE', 'edsb://admin:s3cret@localhost:2113'],
    ['LEDGER_PUBLIC_URL', 'https://admin:s3cret@ledger.example'],
    ['LEDGER_SECRET_KEY', 's3cret'],
  ])('repeats no secret of %s', (variable, value) => {
    const { message } = refusal({ [variable]: value });
    expect(message).toContain(variable);
    expect(message).not.toContain('s3cret');
  });

  const shared = {
    LEDGER_EVENT_STORE: 'esdb+discover://node1,node2:2114?tls=true',
    LEDGER_VIEWS: 'postgresql://ledger@localhost/views',
  };

  it('takes servers for events and views, and some of the roles', () => {
    expect(readConfig({ ...shared, LEDGER_ROLES: ' timers, api,api' })).toMatchObject({
      eventStore: { kind: 'eventstoredb', url: shared.LEDGER_EVENT_STORE },
      views: { kind: 'postgres', url: shared.LEDGER_VIEWS },
      roles: ['api', 'timers'],
    });
  });

  it('views in files follow a server too', () => {
    const url = 'kurrentdb://localhost:2113?tls=false';
    expect(readConfig({ LEDGER_EVENT_STORE: url, LEDGER_ROLES: 'all' })).toMatchObject({
      eventStore: { kind: 'eventstoredb', url },
      views: { kind: 'sqlite' },
    });
  });

  it.each([
    ['esdb://admin:s3cr@t@node1:2113,node2:2113?tls=true', 'esdb://node1:2113,node2:2113'],
    ['kurrentdb+discover://cluster/?tls=false', 'kurrentdb+discover://cluster'],
    ['postgres://ledger:s3cret@db:5432/views?password=s3cret', 'postgres://db:5432/views'],
  ])('names the place of %s and nothing else', (url, place) => {
    expect(placeOf(url)).toBe(place);
  });

  it('keeps a value with a line break on one line', () => {
    expect(refusal({ LEDGER_PORT: '1\n2' }).message).not.toContain('\n');
  });

  it('refuses callers without names off loopback', () => {
    expect(refusal({ LEDGER_HOST: '0.0.0.0' }).variable).toBe('LEDGER_AUTH');
  });

  it('believes headers off loopback only from named proxies', () => {
    const open = { LEDGER_HOST: '0.0.0.0', LEDGER_AUTH: 'trusted-headers' };
    expect(refusal(open).message).toContain('LEDGER_TRUSTED_PROXIES');
    expect(
      readConfig({ ...open, LEDGER_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' }).trustedProxies,
    ).toHaveLength(2);
  });

  it('names LEDGER_ variables it does not know, and stays quiet about those of later versions', () => {
    expect(readConfig({ LEDGER_PROT: '1', LEDGER_GRPC_PORT: '0', HOME: '/' }).unknown).toEqual([
      'LEDGER_PROT',
    ]);
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['10.0.0.1', false],
    ['ledger.example', false],
  ])('%s is loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
