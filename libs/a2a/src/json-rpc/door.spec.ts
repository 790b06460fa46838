import { MemoryEventStore } from '#testing';
import { codeOf, fieldOf, openMemoryLedger, resultOf, type MemoryLedger } from '../../spec/memory-ledger.js';
import { extensionUri } from '../extension.js';
import type { JsonRpcBody } from './envelope.js';

let memory: MemoryLedger;
beforeAll(async () => {
  memory = await openMemoryLedger({ store: new MemoryEventStore() });
});
afterAll(() => memory.close());

const served = { header: '1.0' };
const bodyOf = async (
  text: string,
  version: { header?: string; query?: string } = served,
): Promise<JsonRpcBody> => {
  const answer = await memory.raw(text, version);
  if (answer.kind === 'stream') throw new Error('a stream');
  return answer.body;
};
const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const send = (more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message, ...more } });

describe('C03 the envelope', () => {
  it.each([
    ['{"jsonrpc":"2.0",', -32700, null],
    ['', -32700, null],
    ['[]', -32600, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', -32600, null],
    ['"GetTask"', -32600, null],
    ['null', -32600, null],
    ['{"id":7,"method":"GetTask"}', -32600, 7],
    ['{"jsonrpc":"1.0","id":7,"method":"GetTask"}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":1}', -32600, 7],
    ['{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1,"method":"Nope"}', -32601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}', -32601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"t"}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32602, 1],
    ['{"jsonrpc":"2.0","id":"a","method":"GetTask","params":{"id":"t"}}', -32001, 'a'],
    ['{"jsonrpc":"2.0","id":0,"method":"GetTask","params":{"id":"t"}}', -32001, 0],
    ['{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"t"}}', -32001, null],
    ['{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"}}', -32001, null],
  ])('%s is %i with id %p', async (text, code, id) => {
    expect(await bodyOf(text)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
  });

  it.each([
    ['message.parts', { message: { ...message, parts: [] } }],
    ['message.messageId', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
  ])('a send without %s is -32602 and names it', async (field, params) => {
    const answer = await memory.call('SendMessage', params);
    expect([codeOf(answer), fieldOf(answer)]).toEqual([-32602, field]);
  });
});

describe('C01 the version', () => {
  it.each([{}, { header: '' }, { header: '99.0' }, { header: '0.3' }, { query: '99.0' }])(
    '%j is -32009 before anything else, and nothing is stored',
    async (version) => {
      const before = resultOf(await memory.call('ListTasks', {})).totalSize;
      expect(await bodyOf(send(), version)).toMatchObject({ id: 1, error: { code: -32009 } });
      expect(resultOf(await memory.call('ListTasks', {})).totalSize).toBe(before);
    },
  );

  it.each([{ header: '1.0.7' }, { query: '1.0' }])('%j is served', async (version) => {
    expect(await bodyOf(send({ configuration: { returnImmediately: true } }), version)).toMatchObject({
      result: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
    });
  });
});

describe('C13 text', () => {
  it.each([
    ['NUL', '"a\\u0000b"'],
    ['a lone half', '"x\\ud83dy"'],
  ])('%s is refused wherever it stands, and nothing is stored', async (_what, text) => {
    const before = resultOf(await memory.call('ListTasks', {})).totalSize;
    for (const params of [
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":${text}}]}}`,
      `{"message":{"messageId":"m","role":"ROLE_USER","contextId":${text},"parts":[{"text":"x"}]}}`,
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":{${text}:1}}}`,
    ]) {
      const body = await bodyOf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`);
      expect(body).toMatchObject({ error: { code: -32602 } });
    }
    expect(resultOf(await memory.call('ListTasks', {})).totalSize).toBe(before);
  });

  it('what is well formed comes back as it was sent', async () => {
    const text = 'ok 😀 שלום e\u0301';
    const sent = {
      ...message,
      contextId: text,
      parts: [{ text }, { data: { [text]: text } }],
      metadata: { [text]: text },
    };
    const { task } = resultOf(
      await memory.call('SendMessage', { message: sent, configuration: { returnImmediately: true } }),
    );
    const { id } = task as { id: string };
    expect(resultOf(await memory.call('GetTask', { id }))).toMatchObject({
      contextId: text,
      history: [sent],
    });
  });
});

describe('C45 hostile ids', () => {
  it.each([
    '__proto__',
    'constructor',
    'toString',
    '..',
    '../../x',
    'a/b',
    'a%2Fb',
    'x:cancel',
    '$all',
    '$ce-task',
    "a'); DROP TABLE events;--",
  ])('%s names no task', async (id) => {
    expect(codeOf(await memory.call('GetTask', { id }))).toBe(-32001);
    expect(codeOf(await memory.call('CancelTask', { id }))).toBe(-32001);
    expect(codeOf(await memory.call('SubscribeToTask', { id }))).toBe(-32001);
    expect(codeOf(await memory.call('SendMessage', { message: { ...message, taskId: id } }))).toBe(-32001);
    expect(resultOf(await memory.call('ListTasks', { contextId: id }))).toMatchObject({
      tasks: [],
      totalSize: 0,
    });
  });

  it.each(['', 'x'.repeat(300), 'a\tb'])('%j is malformed', async (id) => {
    expect(codeOf(await memory.call('GetTask', { id }))).toBe(-32602);
  });

  it('metadata with names that mean something elsewhere comes back as it was sent', async () => {
    const metadata = { constructor: { prototype: { x: 1 } }, toString: 'y', hasOwnProperty: null };
    const { task } = resultOf(
      await memory.call('SendMessage', {
        message: { ...message, metadata },
        metadata,
        configuration: { returnImmediately: true },
      }),
    );
    expect(task).toMatchObject({ metadata, history: [{ metadata }] });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('what is not offered', () => {
  it.each([
    ['CreateTaskPushNotificationConfig', -32003],
    ['GetTaskPushNotificationConfig', -32003],
    ['ListTaskPushNotificationConfigs', -32003],
    ['DeleteTaskPushNotificationConfig', -32003],
    ['GetExtendedAgentCard', -32004],
  ])('%s is %i', async (method, code) => {
    expect(codeOf(await memory.call(method, { taskId: 't', id: 'c', url: 'http://hook' }))).toBe(code);
  });

  it('a send that asks for a webhook is refused, and makes no task', async () => {
    const contextId = 'wants-a-webhook';
    const configuration = {
      taskPushNotificationConfig: { url: 'http://hook.example' },
      returnImmediately: true,
    };
    expect(
      codeOf(await memory.call('SendMessage', { message: { ...message, contextId }, configuration })),
    ).toBe(-32003);
    expect(resultOf(await memory.call('ListTasks', { contextId }))).toMatchObject({ totalSize: 0 });
  });
});

it('the extended card needs no params', async () => {
  expect(await bodyOf('{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}')).toMatchObject({
    error: { code: -32004 },
  });
});

it('a tenant in the params widens nothing', async () => {
  const { task } = resultOf(
    await memory.call('SendMessage', { message, configuration: { returnImmediately: true } }),
  );
  const { id } = task as { id: string };
  const mallory = { tenant: 'other', principal: 'mallory', role: 'user', via: 'a2a-jsonrpc' } as const;
  expect(codeOf(await memory.call('GetTask', { id, tenant: 'acme' }, { caller: mallory }))).toBe(-32001);
  expect(resultOf(await memory.call('GetTask', { id, tenant: 'whatever' }))).toMatchObject({ id });
});

it('the ledger in trouble says when to try again, and nothing of itself', async () => {
  const store = new MemoryEventStore();
  const troubled = await openMemoryLedger({ store });
  store.faults.refuseAppends = true;
  const answer = await troubled.call('SendMessage', { message });
  store.faults.refuseAppends = false;
  expect(answer).toMatchObject({ body: { error: { code: -32603, data: [{}, { retryDelay: '1s' }] } } });
  expect(troubled.unexpected).toEqual([]);
  await troubled.close();
});

it('an option that a cancel does not know, or that does not fit its mode, is refused by name', async () => {
  const { task } = resultOf(
    await memory.call('SendMessage', { message, configuration: { returnImmediately: true } }),
  );
  const { id } = task as { id: string };
  for (const options of [
    { mode: 'gentle' },
    { graceMs: 5_000 },
    { dryRun: true },
    { descendantsOnly: true },
  ]) {
    const answer = await memory.call('CancelTask', { id, metadata: { [extensionUri]: options } });
    expect(codeOf(answer)).toBe(-32602);
    expect(fieldOf(answer)).toContain(Object.keys(options)[0]);
  }
  expect(resultOf(await memory.call('GetTask', { id }))).toMatchObject({
    status: { state: 'TASK_STATE_SUBMITTED' },
  });
});
