import 'reflect-metadata';
import { RunningApi, startOn } from './running-api.js';

/** A starter waits 5 s for the lock of its folder. */
const folderWaitMs = 20_000;

let api: RunningApi;

beforeAll(async () => {
  api = await RunningApi.start();
});

afterAll(async () => {
  await api.stop();
});

describe('the mistakes of clients', () => {
  it.each([
    ['broken JSON', '{"a":', 'body'],
    ['no object', '[]', 'body'],
    ['an empty body', '', 'body'],
    ['an unknown field', '{"foo":1}', 'foo'],
    ['C45 a poisoned key', '{"metadata":{"__proto__":{"isAdmin":true}}}', 'metadata.__proto__'],
    ['C13 a NUL', '{"metadata":{"a":"b\\u0000"}}', 'metadata.a'],
    ['C13 half a character', '{"metadata":{"a":"\\ud83d"}}', 'metadata.a'],
  ])('%s is 400 and named', async (_, body, field) => {
    expect(await api.post('/tasks', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid-request', field },
    });
  });

  it('a body that is no JSON is 400, and one too large 413 with the limit', async () => {
    const text = { 'content-type': 'text/plain' };
    expect(await api.post('/tasks', 'x', text)).toMatchObject({
      status: 400,
      body: { field: 'content-type' },
    });
    const large = { metadata: { text: 'x'.repeat(5_000_000) } };
    expect(await api.post('/tasks', large)).toMatchObject({ status: 413, body: { limit: 4_194_304 } });
  });

  it('a HEAD of a stream is answered and ended', async () => {
    const head = await fetch(`${api.service.url}/ledger/v1/feed`, { method: 'HEAD' });
    expect(head.headers.get('content-type')).toContain('text/event-stream');
    await expect(head.text()).resolves.toBe('');
  });

  it('an unknown path is a problem', async () => {
    expect(await api.get('/nothing')).toMatchObject({ status: 404, body: { code: 'route-not-found' } });
  });

  it('C45 metadata with constructor and prototype comes back as it was sent', async () => {
    const metadata = { constructor: { prototype: { x: 1 } }, toString: 'mine' };
    const id = await api.create({ metadata });
    expect((await api.get(`/tasks/${id}?as=a2a-1.0`)).body).toMatchObject({ value: { metadata } });
  });

  it.each([
    ['..', 404],
    ['a%2Fb', 404],
    ['__proto__', 404],
    ['constructor', 404],
    ['x:cancel', 404],
    ['$all', 404],
    ["a')%3B%20DROP%20TABLE%20events%3B--", 404],
    ['%00', 400],
    ['%0A', 400],
    ['%', 400],
    ['%zz', 400],
    ['%ff', 400],
  ])('C45 the id %s is unknown or malformed: %i', async (id, status) => {
    const answer = await api.rawGet(`/tasks/${id}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(answer).toContain('application/problem+json');
  });

  it.each([300, 10_000])('C45 an id of %i characters is malformed', async (length) => {
    expect(await api.rawGet(`/tasks/${'a'.repeat(length)}`)).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe('a service that stops', () => {
  it('C46 refuses requests on every surface, and tells whoever watches it why', async () => {
    const stopping = await RunningApi.start();
    const { url } = stopping.service;
    const stopped = stopping.stop();
    const [rows, a2a, ready, alive] = await Promise.all([
      fetch(`${url}/ledger/v1/rows`),
      fetch(`${url}/a2a/jsonrpc`, { method: 'POST', body: '{}' }),
      fetch(`${url}/readyz`),
      fetch(`${url}/healthz`),
    ]);
    expect([rows.status, a2a.status, ready.status, alive.status]).toEqual([503, 503, 503, 200]);
    expect(rows.headers.get('retry-after')).toBe('1');
    expect(rows.headers.get('x-request-id')).not.toBeNull();
    expect(await ready.json()).toMatchObject({
      status: 'not-ready',
      reasons: expect.arrayContaining(['the service is stopping']) as string[],
    });
    await Promise.all([rows.text(), a2a.text(), alive.text()]);
    await stopped;
  });
});

describe('a service that has started', () => {
  it('is ready, and answers lists', async () => {
    const started = await RunningApi.start();
    const { url } = started.service;
    const answers = await Promise.all([fetch(`${url}/readyz`), fetch(`${url}/ledger/v1/rows`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(answers.map((answer) => answer.text()));
    await started.stop();
  });
});

describe('the service', () => {
  it('is alive, ready and measured, without a caller', async () => {
    expect(await (await fetch(`${api.service.url}/healthz`)).json()).toEqual({ status: 'alive' });
    expect(await (await fetch(`${api.service.url}/readyz`)).json()).toEqual({
      status: 'ready',
      reasons: [],
      consumers: { projector: 'leading', saga: 'leading', timers: 'leading' },
    });
    const metrics = await (await fetch(`${api.service.url}/metrics`)).text();
    for (const name of [
      'appends_total',
      'commit_batch_events',
      'append_seconds',
      'projection_lag_events',
      'open_streams',
      'refusals_total',
      'hot_fold_hits',
      'saga_lag_events',
      'saga_retries_total',
      'cancellation_settled_seconds',
      'saga_open_triggers',
      'saga_appends_in_flight',
    ]) {
      expect(metrics).toContain(`ledger_${name}`);
    }
    expect((await fetch(api.service.url, { redirect: 'manual' })).headers.get('location')).toBe('/docs');
  });

  it(
    'does not start on a folder that is in use',
    async () => {
      await expect(startOn(api.folder)).rejects.toMatchObject({ code: 'folder-in-use' });
    },
    folderWaitMs,
  );
});
