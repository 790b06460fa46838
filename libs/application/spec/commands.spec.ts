import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import {
  agentMessage,
  alice,
  ledgerOn,
  mallory,
  operator,
  refusalOf,
  stranger,
  typesIn,
  userMessage,
  worker,
} from './given.js';

let store: MemoryEventStore;
let ledger: Ledger;

beforeEach(async () => {
  store = new MemoryEventStore();
  ledger = await ledgerOn(store);
});

afterEach(() => ledger.close());

const newTask = async () => (await ledger.commands.send(alice, { message: userMessage('m1') })).task.taskId;

describe('commands', () => {
  it('a message without a task makes one, and answers it with its content', async () => {
    const { task, document, created, messageRevision, position, repeated } = await ledger.commands.send(
      alice,
      {
        message: userMessage('m1', 'hello'),
        metadata: { priority: 'high' },
      },
    );
    expect({ created, messageRevision, repeated }).toEqual({
      created: true,
      messageRevision: 0,
      repeated: false,
    });
    expect(task).toMatchObject({ tenant: 'acme', owner: 'alice', state: 'submitted', revision: 0 });
    expect(document?.messages.map(({ message }) => message.messageId)).toEqual(['m1']);
    expect(document?.metadata).toEqual({ priority: 'high' });
    expect(position).toMatch(/^[a-z0-9]{8}-\d{20}$/);
    expect(await typesIn(store, `ledger.task-${task.taskId}`)).toEqual(['TaskSubmitted']);
  });

  it('an agent works on a task of its tenant, and its result is in the row', async () => {
    const taskId = await newTask();
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    const written = await ledger.commands.transition(worker, taskId, {
      to: 'completed',
      result: { answer: 42 },
    });
    expect(await ledger.reader.rowOf(written)).toMatchObject({
      status: 'completed',
      result: { answer: 42 },
      revision: 3,
    });
    expect(await typesIn(store, `ledger.task-${taskId}`)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'ArtifactRecorded',
      'TaskCompleted',
    ]);
  });

  it('metadata says whose the task is, who acted, and what it belongs to', async () => {
    const taskId = await newTask();
    await ledger.commands.transition({ ...worker, requestId: 'r-1' }, taskId, { to: 'working' });
    const { events } = await ledger.reader.events(alice, taskId, { limit: 10, direction: 'forwards' });
    const [submitted, started] = events.map(({ metadata }) => metadata as Record<string, string>);
    expect(submitted).toMatchObject({ owner: 'alice', principal: 'alice', role: 'user', via: 'a2a-jsonrpc' });
    expect(started).toMatchObject({
      tenant: 'acme',
      owner: 'alice',
      principal: 'worker-1',
      role: 'agent',
      requestId: 'r-1',
    });
    expect(started?.$correlationId).toBe(taskId);
    expect(started?.$causationId).toBe(started?.commandId);
  });

  it('absent and forbidden look the same, to a user of the same tenant and to any role of another', async () => {
    const taskId = await newTask();
    const absent = await refusalOf(ledger.reader.row(alice, 'no-such-task'));
    for (const caller of [mallory, stranger]) {
      const refusals = [
        await refusalOf(ledger.reader.read(caller, taskId)),
        await refusalOf(ledger.commands.cancel(caller, taskId, {})),
        await refusalOf(ledger.commands.send(caller, { message: userMessage('m', 'm', { taskId }) })),
        await refusalOf(ledger.reader.events(caller, taskId, { limit: 1, direction: 'forwards' })),
        await refusalOf(ledger.reader.late(caller, taskId)),
        await refusalOf(ledger.reader.replay(caller, taskId)),
        await refusalOf(ledger.commands.transition(caller, taskId, { to: 'working' })),
      ];
      expect(refusals).toEqual(refusals.map(() => ({ ...absent, taskId })));
    }
  });

  it('a role that sees a task and may not do something to it is told so', async () => {
    const taskId = await newTask();
    expect(await refusalOf(ledger.commands.transition(alice, taskId, { to: 'working' }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await refusalOf(ledger.commands.cancel(worker, taskId, {}))).toMatchObject({ code: 'forbidden' });
    expect(await ledger.commands.cancel(operator, taskId, {})).toMatchObject({ task: { state: 'canceled' } });
  });

  it('If-Match refuses a write to a task that has moved on', async () => {
    const taskId = await newTask();
    await ledger.commands.transition(worker, taskId, { to: 'working' }, { ifMatch: 0 });
    expect(
      await refusalOf(ledger.commands.transition(worker, taskId, { to: 'failed' }, { ifMatch: 0 })),
    ).toMatchObject({
      code: 'revision-mismatch',
      revision: 1,
    });
  });

  it('the same state without a message is a no-op that appends nothing', async () => {
    const taskId = await newTask();
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    const again = await ledger.commands.transition(worker, taskId, { to: 'working' });
    expect(again).toMatchObject({ task: { revision: 1 }, repeated: false });
    expect(again.position).toBeUndefined();
  });

  it('C06 a refused message leaves no event', async () => {
    const taskId = await newTask();
    const before = await ledger.reader.read(alice, taskId);
    const foreign = userMessage('m2', 'secret', { taskId, contextId: 'ctx-of-someone-else' });
    expect(await refusalOf(ledger.commands.send(alice, { message: foreign }))).toMatchObject({
      code: 'invalid-request',
    });
    expect(await typesIn(store, `ledger.task-${taskId}`)).toEqual(['TaskSubmitted']);
    expect(await ledger.reader.read(alice, taskId)).toEqual(before);
  });

  it('C41 what was just made is found by every read and can be cancelled, without waiting for anything', async () => {
    store.faults.hold();
    for (let round = 0; round < 50; round += 1) {
      const { task } = await ledger.commands.send(alice, { message: userMessage(`m${String(round)}`) });
      expect((await ledger.reader.read(alice, task.taskId)).task.state).toBe('submitted');
      await ledger.commands.cancel(alice, task.taskId, {});
      expect((await ledger.reader.row(alice, task.taskId)).row.state).toBe('TASK_STATE_CANCELED');
    }
    store.faults.release();
  });

  it('C49 a restart changes no state, and the agent goes on', async () => {
    const tasks = [await newTask(), await newTask(), await newTask()] as const;
    await ledger.commands.transition(worker, tasks[1], { to: 'working' });
    await ledger.commands.transition(worker, tasks[2], {
      to: 'input-required',
      message: agentMessage('q', 'which one?'),
    });
    await ledger.close();
    ledger = await ledgerOn(store);
    const states = await Promise.all(
      tasks.map(async (taskId) => (await ledger.reader.row(alice, taskId)).row.state),
    );
    expect(states).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
    await ledger.commands.transition(worker, tasks[1], { to: 'completed' });
    await ledger.commands.send(alice, { message: userMessage('a', 'this one', { taskId: tasks[2] }) });
    expect((await ledger.reader.row(alice, tasks[2])).row.revision).toBe(2);
  });

  it('an append over the limit is refused with the limit, before anything is written', async () => {
    const taskId = await newTask();
    const large = userMessage('m2', 'x'.repeat(1_000_001), { taskId });
    expect(await refusalOf(ledger.commands.send(alice, { message: large }))).toEqual({
      code: 'payload-too-large',
      limit: 1_000_000,
    });
    expect(await typesIn(store, `ledger.task-${taskId}`)).toEqual(['TaskSubmitted']);
  });

  it('a store that takes nothing is unavailable, and what was refused can be sent again', async () => {
    const taskId = await newTask();
    store.faults.unavailable = true;
    expect(await refusalOf(ledger.commands.transition(worker, taskId, { to: 'working' }))).toEqual({
      code: 'unavailable',
    });
    store.faults.unavailable = false;
    expect((await ledger.commands.transition(worker, taskId, { to: 'working' })).task.revision).toBe(1);
  });

  it('the 1,002nd command that comes to one stream at once is told to come again', async () => {
    const taskId = await newTask();
    const sent = Array.from({ length: 1_002 }, (_, index) =>
      ledger.commands.send(alice, { message: userMessage(`n${String(index)}`, 'n', { taskId }) }),
    );
    const settled = await Promise.allSettled(sent);
    expect(settled.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'unavailable' } },
    ]);
    expect((await ledger.reader.row(alice, taskId)).row.revision).toBe(1_001);
  });
});
