import { MemoryEventStore } from '#testing';
import { alice, codeOf, openMemoryLedger, resultOf, type MemoryLedger } from '../../spec/memory-ledger.js';
import { getTask, moves, newTask, records, userSays, watched, type ShownTask } from '../../spec/story.js';
import { extensionUri } from '../extension.js';
import { toTaskJson } from '../rendering/task.js';

let memory: MemoryLedger;
beforeAll(async () => {
  memory = await openMemoryLedger({ store: new MemoryEventStore() });
});
afterAll(() => memory.close());

const taskOf = async (answer: ReturnType<MemoryLedger['call']>): Promise<ShownTask> =>
  resultOf(await answer).task as ShownTask;

describe('a send that returns at once', () => {
  it('answers the task exactly as GetTask does', async () => {
    const sent = await newTask(memory, { metadata: { a: [1, null] } });
    expect(sent.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(JSON.stringify(await getTask(memory, sent.id))).toBe(JSON.stringify(sent));
  });

  it('C05 goes to a task by its id alone, in the context of the task', async () => {
    const { id, contextId } = await newTask(memory);
    await moves(memory, id, 'input-required', 'which?');
    const message = userSays('this one', { taskId: id });
    const answer = await taskOf(
      memory.call('SendMessage', { message, configuration: { returnImmediately: true } }),
    );
    expect(answer).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
    expect(answer.history).toMatchObject([{ parts: [{ text: 'hello' }] }, message]);
  });

  it('C09 shows no history when none is asked for', async () => {
    const configuration = { returnImmediately: true, historyLength: 0 };
    expect(
      await taskOf(memory.call('SendMessage', { message: userSays('x'), configuration })),
    ).not.toHaveProperty('history');
  });

  it('keeps `data: null`', async () => {
    const { id } = await newTask(memory, { parts: [{ data: null }] });
    expect((await getTask(memory, id)).history).toMatchObject([{ parts: [{ data: null }] }]);
  });
});

describe('C05 C06 what must be refused', () => {
  it.each(['completed', 'failed', 'rejected'] as const)(
    'a message to a task that is %s is -32004',
    async (to) => {
      const { id } = await newTask(memory);
      await moves(memory, id, to);
      const before = await getTask(memory, id);
      const params = { message: userSays('more', { taskId: id }) };
      expect(codeOf(await memory.call('SendMessage', params))).toBe(-32004);
      expect(codeOf(await memory.call('SendStreamingMessage', params))).toBe(-32004);
      expect(await getTask(memory, id)).toEqual(before);
    },
  );

  it('a message to a task that never was is -32001, and makes none', async () => {
    expect(
      codeOf(await memory.call('SendMessage', { message: userSays('x', { taskId: 'made-up-1' }) })),
    ).toBe(-32001);
    expect(codeOf(await memory.call('GetTask', { id: 'made-up-1' }))).toBe(-32001);
  });

  it('a message in the wrong context is -32602, and leaves no trace', async () => {
    const { id } = await newTask(memory);
    const before = await getTask(memory, id);
    const message = userSays('secret', { taskId: id, contextId: 'somebody-else' });
    expect(codeOf(await memory.call('SendMessage', { message }))).toBe(-32602);
    expect(await getTask(memory, id)).toEqual(before);
  });
});

describe('a blocking send', () => {
  it.each([
    ['completed', 'TASK_STATE_COMPLETED'],
    ['failed', 'TASK_STATE_FAILED'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['auth-required', 'TASK_STATE_AUTH_REQUIRED'],
  ] as const)('waits through working until the task is %s', async (to, state) => {
    const contextId = `waits-for-${to}`;
    const open = memory.ledger.live.open;
    const answer = taskOf(memory.call('SendMessage', { message: userSays('go', { contextId }) }));
    await watched(memory, open + 1);
    const [task] = resultOf(await memory.call('ListTasks', { contextId })).tasks as [ShownTask];
    await moves(memory, task.id, 'working', 'on it');
    await records(memory, task.id, 'a1', 'result');
    await moves(memory, task.id, to, 'there');
    expect(await answer).toMatchObject({ status: { state }, artifacts: [{ artifactId: 'a1' }] });
    expect(memory.ledger.live.open).toBe(open);
  });

  it('counts nothing that was before its own message', async () => {
    const { id } = await newTask(memory);
    await moves(memory, id, 'input-required', 'which?');
    const open = memory.ledger.live.open;
    const answer = taskOf(memory.call('SendMessage', { message: userSays('this', { taskId: id }) }));
    await watched(memory, open + 1);
    await moves(memory, id, 'working');
    await moves(memory, id, 'completed', 'done');
    expect((await answer).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('answers the task as it is when the time is over', async () => {
    const hasty = await openMemoryLedger({ store: new MemoryEventStore(), blockingTimeoutMs: 1 });
    expect((await taskOf(hasty.call('SendMessage', { message: userSays('x') }))).status.state).toBe(
      'TASK_STATE_SUBMITTED',
    );
    await hasty.close();
  });

  it('frees its wait when the client goes', async () => {
    const open = memory.ledger.live.open;
    const client = new AbortController();
    const answer = memory.call('SendMessage', { message: userSays('x') }, { signal: client.signal });
    await watched(memory, open + 1);
    client.abort();
    await answer;
    expect(memory.ledger.live.open).toBe(open);
  });
});

describe('an idempotency key', () => {
  const twice = async (told: object, params: object): Promise<[ShownTask, ShownTask]> => [
    await taskOf(memory.call('SendMessage', params, told)),
    await taskOf(memory.call('SendMessage', params, told)),
  ];

  it.each([
    ['in the header', { idempotencyKey: 'header-key' }, {}, {}],
    ['in the metadata of the request', {}, { metadata: { [extensionUri]: { idempotencyKey: 'k1' } } }, {}],
    ['in the metadata of the message', {}, {}, { metadata: { [extensionUri]: { idempotencyKey: 'k2' } } }],
  ])('%s makes the same send the same task', async (_where, told, request, inMessage) => {
    const message = userSays('once', inMessage);
    const [first, second] = await twice(told, {
      message,
      configuration: { returnImmediately: true },
      ...request,
    });
    expect(second).toEqual(first);
  });

  it('is opt-in: the same message id without a key makes another task', async () => {
    const [first, second] = await twice(
      {},
      { message: userSays('again'), configuration: { returnImmediately: true } },
    );
    expect(second.id).not.toBe(first.id);
  });

  it('with another body is -32602', async () => {
    const told = { idempotencyKey: 'one-key' };
    await newTask(memory, {}, told);
    expect(codeOf(await memory.call('SendMessage', { message: userSays('other') }, told))).toBe(-32602);
  });
});

it('C12 an answer shows one moment, and the log replayed to that moment shows the same', async () => {
  for (let round = 0; round < 100; round += 1) {
    const answer = await newTask(memory);
    await moves(memory, answer.id, 'failed', 'at once');
    const { task, document } = await memory.ledger.reader.replay(alice, answer.id, { revision: 0 });
    expect(JSON.stringify(answer)).toBe(JSON.stringify(toTaskJson(task, document)));
  }
});
