import type { Caller } from '#domain';
import { MemoryEventStore } from '#testing';
import {
  agent,
  alice,
  allWords,
  codeOf,
  fieldOf,
  framesOf,
  openMemoryLedger,
  resultOf,
  wordsOf,
  type MemoryLedger,
  type Told,
} from '../../spec/memory-ledger.js';
import { getTask, moves, newTask, userSays, watched, type ShownTask } from '../../spec/story.js';
import { extensionUri } from '../extension.js';
import type { StreamFrame } from '../json-rpc/door.js';

/** Longer than any test takes: whoever waits for it never comes back. */
const hourMs = 3_600_000;

let memory: MemoryLedger;
let hurried: MemoryLedger;
beforeAll(async () => {
  memory = await openMemoryLedger({ store: new MemoryEventStore(), blockingTimeoutMs: hourMs });
  const cooperative = { blockingTimeoutMs: 20, cancelMode: 'cooperative' } as const;
  hurried = await openMemoryLedger({ store: new MemoryEventStore(), ...cooperative });
});
afterAll(async () => {
  await memory.close();
  await hurried.close();
});

const options = (more: object = {}): object => ({ [extensionUri]: { mode: 'cooperative', ...more } });
const asks = (id: string, more: object = {}, told: Told = {}) =>
  memory.call('CancelTask', { id, metadata: options(more) }, told);
const shown = async (answer: ReturnType<MemoryLedger['call']>): Promise<ShownTask> =>
  resultOf(await answer) as unknown as ShownTask;

const atWork = async (ledger = memory): Promise<string> => {
  const { id } = await newTask(ledger);
  await moves(ledger, id, 'working', 'at it');
  return id;
};

const rowOf = async (id: string, { ledger } = memory) => (await ledger.reader.row(alice, id)).row;

/** A task that is asked, and the answer its canceller still waits for. */
const asked = async (more: object = {}, told: Told = {}) => {
  const id = await atWork();
  const open = memory.ledger.live.open;
  const answer = asks(id, more, told);
  await watched(memory, open + 1);
  return { id, answer };
};

describe('a cooperative CancelTask', () => {
  it('waits for the end of the task, and answers it', async () => {
    const { id, answer } = await asked();
    await memory.ledger.commands.transition(agent, id, { to: 'canceled' });
    expect((await shown(answer)).status.state).toBe('TASK_STATE_CANCELED');
  });

  it.each(['completed', 'failed'] as const)('answers a task that is %s inside its grace', async (to) => {
    const { id, answer } = await asked();
    await moves(memory, id, to);
    expect((await shown(answer)).status.state).toBe(`TASK_STATE_${to.toUpperCase()}`);
  });

  it('goes on waiting while the agent is still at it', async () => {
    const { id, answer } = await asked();
    await moves(memory, id, 'working', 'cleaning up');
    await moves(memory, id, 'canceled');
    expect((await shown(answer)).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('answers the task as it is when the agent declines: nothing more would come', async () => {
    const { id, answer } = await asked();
    await memory.ledger.commands.decline(agent, id, { note: 'almost done' });
    const task = await shown(answer);
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    expect(task).not.toHaveProperty('metadata');
  });

  it('answers the task as it is when its grace is over', async () => {
    const { answer } = await asked({ graceMs: 1_000 });
    expect((await shown(answer)).status.state).toBe('TASK_STATE_WORKING');
  });

  it('answers the task as it is when the longest wait is over, though its grace is not', async () => {
    const id = await atWork(hurried);
    const answer = hurried.call('CancelTask', { id, metadata: options({ graceMs: 86_400_000 }) });
    const task = await shown(answer);
    const { dueAt } = (await rowOf(id, hurried)).cancellation ?? {};
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      metadata: { [extensionUri]: { dueAt } },
    });
  });

  it('ends its wait with the client, or with the service; the request stands', async () => {
    const client = new AbortController();
    const { id, answer } = await asked({}, { signal: client.signal });
    const open = memory.ledger.live.open;
    client.abort();
    expect((await shown(answer)).status.state).toBe('TASK_STATE_WORKING');
    expect(memory.ledger.live.open).toBe(open - 1);
    expect((await rowOf(id)).cancellation).toBeDefined();
  });

  it('asked again asks nobody anew, and waits for the same end', async () => {
    const { id, answer } = await asked();
    const { revision, cancellationId } = await rowOf(id);
    const open = memory.ledger.live.open;
    const again = asks(id);
    await watched(memory, open + 1);
    expect(await rowOf(id)).toMatchObject({ revision, cancellationId });
    await moves(memory, id, 'canceled');
    expect(await shown(again)).toEqual(await shown(answer));
  });

  it('under a key that is known waits as the first did', async () => {
    const { id, answer } = await asked({ idempotencyKey: 'k-1' });
    const open = memory.ledger.live.open;
    const again = asks(id, { idempotencyKey: 'k-1' });
    await watched(memory, open + 1);
    await moves(memory, id, 'canceled');
    expect(await shown(again)).toEqual(await shown(answer));
    expect(await shown(asks(id, { idempotencyKey: 'k-1' }))).toEqual(await shown(answer));
  });

  it.each([undefined, 'input-required', 'auth-required'] as const)(
    'of a task that is %s asks nobody: it is canceled at once',
    async (to) => {
      const { id } = await newTask(memory);
      if (to !== undefined) await moves(memory, id, to);
      expect((await shown(asks(id))).status.state).toBe('TASK_STATE_CANCELED');
    },
  );

  it('C29 of a task that has completed is -32002', async () => {
    const id = await atWork();
    await moves(memory, id, 'completed');
    expect(codeOf(await asks(id))).toBe(-32002);
  });

  it('is ended by an immediate one under the id that was open', async () => {
    const { id, answer } = await asked();
    const { cancellationId } = await rowOf(id);
    const now = await shown(memory.call('CancelTask', { id }));
    expect(now.status.state).toBe('TASK_STATE_CANCELED');
    expect((await shown(answer)).status.state).toBe('TASK_STATE_CANCELED');
    expect(await rowOf(id)).toMatchObject({ cancellationId });
  });
});

describe('while a task is asked to stop', () => {
  it('a message of its user is -32004, and names the cancellation and its time', async () => {
    const { id, answer } = await asked();
    const refused = await memory.call('SendMessage', { message: userSays('more', { taskId: id }) });
    expect(codeOf(refused)).toBe(-32004);
    const { cancellationId, cancellation } = await rowOf(id);
    expect(JSON.stringify(refused)).toContain(String(cancellationId));
    expect(JSON.stringify(refused)).toContain(String(cancellation?.dueAt));
    await memory.ledger.commands.decline(agent, id, {});
    await answer;
    const said = userSays('more', { taskId: id });
    const taken = memory.call('SendMessage', { message: said, configuration: { returnImmediately: true } });
    expect(codeOf(await taken)).toBe(0);
  });

  it('whoever polls finds it where it was, with the time in its metadata, and lists agree', async () => {
    const { id, answer } = await asked();
    const { cancellationId, cancellation } = await rowOf(id);
    const task = await getTask(memory, id);
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'at it' }] } },
      metadata: { [extensionUri]: { cancellationId, dueAt: cancellation?.dueAt } },
    });
    const listed = await memory.call('ListTasks', { contextId: task.contextId });
    expect((resultOf(listed).tasks as object[])[0]).toEqual(task);
    await moves(memory, id, 'canceled');
    await answer;
  });

  it('whoever watches is told once, in the same state, and stays to the end', async () => {
    const id = await atWork();
    const open = memory.ledger.live.open;
    const words = allWords(await memory.call('SubscribeToTask', { id }));
    const answer = asks(id);
    await watched(memory, open + 2);
    await moves(memory, id, 'canceled');
    await answer;
    expect(await words).toEqual(['task WORKING', 'status WORKING', 'status CANCELED']);
  });

  it('a SendStreamingMessage goes on: asking is no answer', async () => {
    const stream = framesOf(await memory.call('SendStreamingMessage', { message: userSays('go') }));
    const first = (await stream.next()).value as StreamFrame;
    const { id } = (first.body as unknown as { result: { task: ShownTask } }).result.task;
    await moves(memory, id, 'working');
    const open = memory.ledger.live.open;
    const answer = asks(id);
    await watched(memory, open + 1);
    await moves(memory, id, 'completed', 'done');
    await answer;
    const words: string[] = [];
    for await (const frame of stream) words.push(wordsOf(frame));
    expect(words).toEqual(['status WORKING', 'status WORKING', 'status COMPLETED']);
  });

  it('a blocking send goes on waiting for its own answer', async () => {
    const { id } = await newTask(memory);
    await moves(memory, id, 'working');
    const open = memory.ledger.live.open;
    const sent = memory.call('SendMessage', { message: userSays('and?', { taskId: id }) });
    await watched(memory, open + 1);
    const canceling = asks(id);
    await watched(memory, open + 2);
    await moves(memory, id, 'failed', 'no');
    await canceling;
    expect(resultOf(await sent)).toMatchObject({ task: { id, status: { state: 'TASK_STATE_FAILED' } } });
  });
});

describe('the mode', () => {
  it('of a cancel that names none is the setting’s', async () => {
    const id = await atWork(hurried);
    const task = await shown(hurried.call('CancelTask', { id, metadata: { reason: 'enough' } }));
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    expect((await rowOf(id, hurried)).cancellation).toBeDefined();
  });

  it('that is asked for counts before the setting', async () => {
    const id = await atWork(hurried);
    const metadata = options({ mode: 'immediate' });
    expect((await shown(hurried.call('CancelTask', { id, metadata }))).status.state).toBe(
      'TASK_STATE_CANCELED',
    );
  });

  it.each([
    [{ mode: 'gentle' }, 'mode'],
    [{ graceMs: 999 }, 'graceMs'],
    [{ graceMs: 86_400_001 }, 'graceMs'],
    [{ graceMs: '2000' }, 'graceMs'],
    [{ cascade: 'yes' }, 'cascade'],
    [{ reason: 7 }, 'reason'],
    [{ dryRun: true }, 'dryRun'],
    [{ mode: 'immediate', graceMs: 2_000 }, 'graceMs'],
  ])('%j is -32602 and names the field, and the task goes on', async (more, field) => {
    const id = await atWork();
    const refused = await memory.call('CancelTask', { id, metadata: { [extensionUri]: more } });
    expect(codeOf(refused)).toBe(-32602);
    expect(fieldOf(refused)).toBe(`metadata["${extensionUri}"].${field}`);
    expect((await getTask(memory, id)).status.state).toBe('TASK_STATE_WORKING');
  });
});

it('a certificate counts an agent that watches over A2A as told, and no user', async () => {
  const watchedBy = async (caller: Caller): Promise<string> => {
    const id = await atWork();
    const words = allWords(await memory.call('SubscribeToTask', { id }, { caller }));
    const { cancellationId } = await memory.ledger.commands.cancel(alice, id, {});
    expect((await words).at(-1)).toBe('status CANCELED');
    return cancellationId;
  };
  const [byUser, byAgent] = [await watchedBy(alice), await watchedBy(agent)];
  const noted = new AbortController();
  const notes = { from: 'start', types: ['WorkersNotified'], signal: noted.signal } as const;
  for await (const [note] of memory.ledger.live.feed(alice, notes)) {
    expect(note?.data).toMatchObject({ to: agent.principal, through: 'stream' });
    noted.abort();
  }
  const workersOf = async (id: string): Promise<object> =>
    (await memory.ledger.cancellations.get(alice, id)).workers;
  expect(await workersOf(byUser)).toMatchObject({ notified: 0, unnotified: 1 });
  expect(await workersOf(byAgent)).toMatchObject({ notified: 1, unnotified: 0 });
  expect(memory.unexpected).toEqual([]);
});
