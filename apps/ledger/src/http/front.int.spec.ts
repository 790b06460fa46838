import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { pino } from 'pino';
import { StoreUnavailableError } from '#event-store';
import { readConfig, type LedgerConfig } from '../config/config.js';
import { ConfigError } from '../config/variables.js';
import { Metrics } from '../observe/metrics.js';
import { Starting } from '../start/starting.js';
import { waitingAnswers } from '../start/waiting-answers.js';
import { Front } from './front.js';

const config = (variables: Record<string, string> = {}): LedgerConfig =>
  readConfig({ LEDGER_PORT: '0', ...variables });

const saying =
  (text: string): RequestListener =>
  (_, response) =>
    response.end(text);

const fronts: Front[] = [];
const front = (answer: RequestListener): Front => {
  const made = new Front(answer);
  fronts.push(made);
  return made;
};
afterEach(async () => {
  await Promise.all(fronts.splice(0).map((one) => one.close()));
});

describe('the sockets', () => {
  it('answer from the first moment, and then as the service does, on the connections that are open', async () => {
    const sockets = front(saying('starting'));
    const { port } = await sockets.listen(config());
    const ask = (): Promise<string> =>
      fetch(`http://127.0.0.1:${String(port)}/`).then((answer) => answer.text());
    expect(await ask()).toBe('starting');
    sockets.serverFactory(saying('serving'));
    expect(await ask()).toBe('starting');
    sockets.open();
    expect(await ask()).toBe('serving');
  });

  it('are every address of localhost', async () => {
    const sockets = front(saying('here'));
    const { port } = await sockets.listen(config({ LEDGER_HOST: 'localhost' }));
    for (const { address } of await lookup('localhost', { all: true })) {
      const request = httpRequest({ host: address, port }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      response.resume();
    }
  });

  it('that cannot be had are named by their variable', async () => {
    const { port } = await front(saying('first')).listen(config());
    const taken = front(saying('second')).listen(config({ LEDGER_PORT: String(port) }));
    await expect(taken).rejects.toThrow(ConfigError);
    await expect(taken).rejects.toThrow(/^LEDGER_PORT=.*EADDRINUSE/);
  });

  it('that are closed let go of whoever waits for an answer', async () => {
    const asked = new Promise<void>((resolve) => {
      const sockets = front(() => {
        resolve();
      });
      void sockets
        .listen(config())
        .then(({ port }) => fetch(`http://127.0.0.1:${String(port)}/`).catch(() => 'cut'));
    });
    await asked;
    await Promise.all(fronts.splice(0).map((one) => one.close()));
  });
});

describe('a service that waits', () => {
  it('lives, is not ready and says why, is measured, and tells everybody else to come back', async () => {
    const starting = new Starting(pino({ level: 'silent' }));
    const sockets = front(waitingAnswers(starting, new Metrics().registry));
    const { port } = await sockets.listen(config());
    const ask = (path: string, method = 'GET'): Promise<Response> =>
      fetch(`http://127.0.0.1:${String(port)}${path}`, { method });
    const waiting = starting.until('the event store', () =>
      Promise.reject(new StoreUnavailableError('refused')),
    );
    const [alive, ready, metrics, rows, send] = await Promise.all([
      ask('/healthz'),
      ask('/readyz/?probe=1'),
      ask('/metrics'),
      ask('/ledger/v1/rows'),
      ask('/a2a/jsonrpc', 'POST'),
    ]);
    expect([alive, ready, metrics, rows, send].map(({ status }) => status)).toEqual([
      200, 503, 200, 503, 503,
    ]);
    expect(await alive.json()).toEqual({ status: 'alive' });
    expect(await ready.json()).toEqual({
      status: 'not-ready',
      reasons: ['waiting for the event store: refused'],
    });
    expect(await metrics.text()).toContain('ledger_appends_total 0');
    for (const refused of [rows, send]) {
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
      expect(await refused.json()).toMatchObject({ code: 'unavailable', status: 503 });
    }
    starting.callOff(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
  });
});
