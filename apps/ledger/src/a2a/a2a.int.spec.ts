import 'reflect-metadata';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { pino } from 'pino';
import { extensionUri } from '#a2a';
import { openLedger, openLog, positionsOf, systemClock, systemIds, type Ledger } from '#application';
import { MemoryEventStore } from '#testing';
import { openViews } from '#views';
import { readConfig } from '../config/config.js';
import { createApp } from '../create-app.js';
import { Address } from '../http/address.js';
import { Drain } from '../http/drain.js';
import { Front } from '../http/front.js';
import { bodyBytesMax } from '../http/json-body.js';
import { Metrics } from '../observe/metrics.js';
import type { Runtime } from '../runtime.js';

const namespace = 'ledger';
const agent = { tenant: 'default', principal: 'worker', role: 'agent', via: 'ledger-api' } as const;

let ledger: Ledger;
let url: string;
let stop: () => Promise<void>;

const openRuntime = async (): Promise<Runtime & { close(): Promise<void> }> => {
  const store = new MemoryEventStore();
  const logId = await openLog(store, namespace, systemIds, systemClock);
  const common = { store, namespace, clock: systemClock };
  const views = await openViews({ ...common, file: ':memory:', logId, positions: positionsOf(logId) });
  const opened = await openLedger({ ...common, snapshots: views.snapshots, ids: systemIds, hotFoldsMiB: 8 });
  views.start();
  return {
    store,
    views,
    ledger: opened,
    metrics: new Metrics(),
    sagaReading: () => Promise.resolve({ lag: 0, open: 0, inFlight: 0 }),
    storageHealth: () => ({ reachable: true }),
    standings: () => ({}),
    eventsName: 'memory',
    viewsName: 'memory',
    async close() {
      await opened.close();
      await views.close();
      await store.close();
    },
  };
};

beforeAll(async () => {
  const runtime = await openRuntime();
  const drain = new Drain();
  const address = new Address(undefined);
  const logger = pino({ level: 'silent' });
  ledger = runtime.ledger;
  const config = readConfig({ LEDGER_PORT: '0' });
  const front = new Front(() => undefined);
  address.listens('127.0.0.1', (await front.listen(config)).port);
  const app = await createApp({ config, runtime, logger, drain, address, front }, false);
  front.open();
  url = address.publicUrl;
  stop = async () => {
    drain.begin();
    await front.close();
    await app.close();
    await runtime.close();
  };
});
afterAll(() => stop());

const post = (
  body: unknown,
  headers: Record<string, string> = {},
  path = '/a2a/jsonrpc',
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

const newTask = async (): Promise<string> => {
  const answer = await post(rpc('SendMessage', { message, configuration: { returnImmediately: true } }));
  const body = (await answer.json()) as { result: { task: { id: string } } };
  return body.result.task.id;
};

/** Resolves when so many watches and waits are open: no more, no less. */
const open = async (count: number): Promise<void> => {
  while (ledger.live.open !== count) await new Promise((resolve) => setImmediate(resolve));
};

/** A stream whose socket is ours to destroy. */
const subscribe = async (id: string, headers: Record<string, string> = {}): Promise<IncomingMessage> => {
  const client = httpRequest(`${url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
  });
  client.end(JSON.stringify(rpc('SubscribeToTask', { id })));
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  return response;
};

describe('JSON-RPC over HTTP', () => {
  it.each(['/a2a/jsonrpc', '/a2a/jsonrpc/'])('answers at %s', async (path) => {
    const answer = await post(rpc('ListTasks', {}), {}, path);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toMatchObject({ id: 1, result: { nextPageToken: '' } });
  });

  it.each([
    ['{"jsonrpc":"2.0",', -32700],
    ['', -32700],
    ['[]', -32600],
    [rpc('Nope', {}), -32601],
  ])('C03 %j is %i, whatever the content type', async (body, code) => {
    for (const type of ['application/json', 'application/a2a+json', 'text/plain']) {
      expect(await (await post(body, { 'content-type': type })).json()).toMatchObject({ error: { code } });
    }
  });

  it('C01 takes the version from the query, and refuses silence', async () => {
    const body = rpc('ListTasks', {});
    const silent = { 'A2A-Version': '' };
    expect(await (await post(body, silent, '/a2a/jsonrpc?A2A-Version=1.0')).json()).toHaveProperty('result');
    expect(await (await post(body, silent)).json()).toMatchObject({ error: { code: -32009 } });
  });

  it('refuses a body over the limit with 413 and -32602', async () => {
    const answer = await post(
      rpc('SendMessage', { message: { ...message, parts: [{ text: 'x'.repeat(bodyBytesMax) }] } }),
    );
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ id: null, error: { code: -32602 } });
  });

  it('C39 refuses a message over the limit of an append with -32602, naming the limit', async () => {
    const answer = await post(
      rpc('SendMessage', { message: { ...message, parts: [{ text: 'x'.repeat(1_500_000) }] } }),
    );
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602 } });
    expect(text).toContain('1000000');
  });

  it('says which extension was activated, and where the log stood', async () => {
    const answer = await post(rpc('SendMessage', { message, configuration: { returnImmediately: true } }), {
      'A2A-Extensions': `urn:other, ${extensionUri}`,
    });
    expect(answer.headers.get('a2a-extensions')).toBe(extensionUri);
    expect(answer.headers.get('ledger-position')).toMatch(/^[a-z0-9]{8}-\d{20}$/);
  });

  it('takes an idempotency key from the header', async () => {
    const body = rpc('SendMessage', { message, configuration: { returnImmediately: true } });
    const told = { 'Idempotency-Key': 'http-key' };
    expect(await (await post(body, told)).json()).toEqual(await (await post(body, told)).json());
    expect(await (await post(body, { 'Idempotency-Key': 'k'.repeat(257) })).json()).toMatchObject({
      error: { code: -32602 },
    });
  });

  it('answers an unknown path under /a2a in its own words', async () => {
    const answer = await post(rpc('ListTasks', {}), {}, '/a2a/nothing');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
  });
});

describe('streams over HTTP', () => {
  it('carry the revision as id and end with the task', async () => {
    const id = await newTask();
    const response = await subscribe(id);
    expect(response.headers['content-type']).toContain('text/event-stream');
    await ledger.commands.transition(agent, id, { to: 'completed' });
    let text = '';
    for await (const chunk of response) text += String(chunk);
    expect(text.match(/^id: .*$/gm)).toEqual([`id: ${id}.0`, `id: ${id}.1`]);
  });

  it('C18 errors before the first frame are JSON', async () => {
    const ended = await newTask();
    await ledger.commands.transition(agent, ended, { to: 'completed' });
    for (const [id, code] of [
      [ended, -32004],
      ['nobody', -32001],
    ] as const) {
      const answer = await post(rpc('SubscribeToTask', { id }));
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(await answer.json()).toMatchObject({ error: { code } });
    }
  });

  it('go on after Last-Event-ID', async () => {
    const id = await newTask();
    await ledger.commands.transition(agent, id, { to: 'working' });
    await ledger.commands.transition(agent, id, { to: 'completed' });
    const response = await subscribe(id, { 'last-event-id': `${id}.1` });
    let text = '';
    for await (const chunk of response) text += String(chunk);
    expect(text.match(/^id: .*$/gm)).toEqual([`id: ${id}.1`, `id: ${id}.2`]);
  });

  it('C19 a hundred clients that leave without a word free everything, with no event', async () => {
    const id = await newTask();
    const responses = await Promise.all(Array.from({ length: 100 }, () => subscribe(id)));
    await open(100);
    for (const response of responses) response.destroy();
    await open(0);
    expect((await ledger.reader.read({ ...agent }, id)).task.revision).toBe(0);
  });

  it('a blocking send frees its wait when its client leaves', async () => {
    const client = new AbortController();
    const answer = fetch(`${url}/a2a/jsonrpc`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0' },
      body: JSON.stringify(rpc('SendMessage', { message })),
      signal: client.signal,
    }).catch(() => 'gone');
    await open(1);
    client.abort();
    expect(await answer).toBe('gone');
    await open(0);
  });
});

describe('the agent card', () => {
  const card = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/.well-known/agent-card.json`, { headers });

  it('names this service, and may be kept for a while', async () => {
    const answer = await card();
    expect(answer.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(await answer.json()).toMatchObject({ supportedInterfaces: [{ url: `${url}/a2a/jsonrpc` }] });
  });

  it('is not sent again to whoever has it', async () => {
    const etag = (await card()).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect((await card({ 'if-none-match': known })).status).toBe(304);
    }
    expect((await card({ 'if-none-match': '"other"' })).status).toBe(200);
  });
});

it('the client of the SDK sends, streams, reads, lists and cancels', async () => {
  const client = await new ClientFactory().createFromUrl(url);
  const say = {
    messageId: 'c1',
    role: 1,
    parts: [{ content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: '' }],
    contextId: '',
    taskId: '',
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  } as const;
  const stream = client.sendMessageStream({
    tenant: '',
    message: { ...say, parts: [...say.parts], extensions: [], referenceTaskIds: [] },
    configuration: undefined,
    metadata: undefined,
  });
  const first = await stream.next();
  const payload = first.done === true ? undefined : first.value.payload;
  if (payload?.$case !== 'task') throw new Error('the first frame is the task');
  const { id } = payload.value;
  await ledger.commands.transition(agent, id, { to: 'input-required' });
  expect(await stream.next()).toMatchObject({ value: { payload: { $case: 'statusUpdate' } } });
  expect(await stream.next()).toMatchObject({ done: true });
  expect(await client.getTask({ tenant: '', id })).toMatchObject({ id, status: { state: 6 } });
  const page = await client.listTasks({
    tenant: '',
    contextId: payload.value.contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect(page).toMatchObject({ totalSize: 1, tasks: [{ id }] });
  expect(await client.cancelTask({ tenant: '', id, metadata: undefined })).toMatchObject({
    status: { state: 5 },
  });
});
