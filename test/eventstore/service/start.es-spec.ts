import { afterEach, expect, it, describe } from '@jest/globals';
import { useDatabase } from '../../support/database.js';
import {
  describeWithFaults,
  EventStoreServer,
  freshNamespace,
  useEventStoreServer,
} from '../../support/event-store-server.js';
import { freePort } from '../../support/free-port.js';
import {
  alice,
  type Answer,
  type Environment,
  eventually,
  httpRequest,
  LedgerApi,
  LedgerService,
} from '../../support/index.js';

const services: LedgerService[] = [];
const serviceWith = (environment: Environment): LedgerService => {
  const service = new LedgerService({ environment });
  services.push(service);
  return service;
};
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.dispose()));
});

/** The one line of a start that ends, and its exit code. */
const failure = async (environment: Environment): Promise<{ code: number | null; line: string }> => {
  const service = serviceWith(environment);
  await service.begin();
  const { code } = await service.exit;
  const lines = service.output.trim().split('\n');
  expect(lines).toHaveLength(1);
  return { code, line: lines[0] ?? '' };
};

interface Readiness {
  readonly status: string;
  readonly reasons: readonly string[];
}

/** A process that says nothing by then hangs; generous for a busy machine. */
const startLimitMs = 50_000;

/** What `/readyz` answers once it gives this reason. */
const unreadyFor = (url: string, reason: RegExp): Promise<Answer<unknown>> =>
  eventually(
    `unready because of ${String(reason)}`,
    async () => {
      const answer = await httpRequest(`${url}/readyz`).catch(() => undefined);
      const reasons = (answer?.json as Readiness | undefined)?.reasons ?? [];
      return reasons.some((one) => reason.test(one)) ? answer : undefined;
    },
    startLimitMs,
  );

describeWithFaults('a start before the event store is there', () => {
  const beginning = async (server: EventStoreServer) => {
    await server.start();
    await server.emulator.faults.goAway();
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}`;
    const service = serviceWith({ ...server.environment(freshNamespace()), LEDGER_PORT: String(port) });
    return { service, url, ...(await service.begin()) };
  };

  it('waits and says so, and serves when it comes', async () => {
    const server = new EventStoreServer();
    const { url, ready } = await beginning(server);
    const unready = await unreadyFor(url, /^waiting for the event store: ./);
    expect([unready.status, unready.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await httpRequest(`${url}/healthz`)).status).toBe(200);
    const refused = await new LedgerApi({ url }, alice).create();
    expect(refused.problem).toMatchObject({ status: 503, code: 'unavailable' });
    expect(refused.headers.get('retry-after')).toBe('1');

    await server.emulator.faults.comeBack();
    expect(await ready).toContain(`ledger ready http=${url} `);
    expect((await new LedgerApi({ url }, alice).create()).status).toBe(201);
    await server.stop();
  });
});

describe('a start before the database is there', () => {
  const server = useEventStoreServer();

  it('waits and says so; SIGTERM ends it, and that is no failure', async () => {
    const [port, closed] = await Promise.all([freePort(), freePort()]);
    const service = serviceWith({
      ...server.environment(freshNamespace()),
      LEDGER_VIEWS: `postgres://ledger@127.0.0.1:${String(closed)}/views`,
      LEDGER_PORT: String(port),
    });
    await service.begin();
    await unreadyFor(`http://127.0.0.1:${String(port)}`, /^waiting for the database: ./);
    expect(await service.terminate()).toEqual({ code: 0, signal: null });
    expect(service.output).not.toContain('ledger ready');
  });
});

describe('a mistake of the operator ends the start with one line', () => {
  const server = useEventStoreServer();
  const database = useDatabase();
  const withUrl = (change: (url: string) => string): Promise<{ code: number | null; line: string }> =>
    failure({ LEDGER_EVENT_STORE: change(server.url()) });

  it.each([
    ['an unknown option', (url: string) => `${url}&nodePreferance=leader`, /nodepreferance/i],
    [
      'a file that is not there',
      (url: string) => url.replace(/\?.*/, '?tlsCAFile=/nowhere/ca.pem'),
      /\/nowhere\/ca\.pem/,
    ],
    [
      'a password that the client would drop',
      (url: string) => url.replace('//', '//admin:s3cret@'),
      /tls=false/,
    ],
  ])('%s', async (_, change, why) => {
    const { code, line } = await withUrl(change);
    expect(code).toBe(1);
    expect(line).toMatch(/^ledger cannot start: LEDGER_EVENT_STORE="esdb:\/\/\S+" is not allowed: /);
    expect(line).toMatch(why);
    expect(line).not.toContain('s3cret');
  });

  it('a database that does not exist', async () => {
    const nowhere = new URL(database.url);
    nowhere.pathname = '/nowhere';
    const { code, line } = await failure({
      ...server.environment(freshNamespace()),
      LEDGER_VIEWS: nowhere.toString(),
    });
    expect(code).toBe(1);
    expect(line).toMatch(/^ledger cannot start: LEDGER_VIEWS="postgres\S+" is not allowed: .*nowhere/);
  });

  it('TLS to a server that speaks plain text', async () => {
    const { code, line } = await withUrl((url) => url.replace(/\?.*/, ''));
    expect(code).toBe(1);
    expect(line).toMatch(/^ledger cannot start: LEDGER_EVENT_STORE=.*TLS/);
  });
});

describe('one data folder', () => {
  const server = useEventStoreServer();

  it('belongs to one process, also where only its views are in it', async () => {
    const environment = server.environment(freshNamespace());
    const first = serviceWith(environment);
    await first.start();
    const second = new LedgerService({ environment: { ...environment, LEDGER_DATA_DIR: first.directory } });
    services.push(second);
    await second.begin();
    expect((await second.exit).code).toBe(1);
    expect(second.output).toMatch(/^ledger cannot start: [^\n]+\n$/);
    expect(second.output).toContain(first.directory);
    expect(second.output).toContain(String(first.pid));
    expect((await new LedgerApi(first, alice).create()).status).toBe(201);
  });
});
