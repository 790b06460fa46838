import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import { alice, ledgerOn, operator, refusalOf, userMessage, worker } from './given.js';
import { CountsCalls } from './stores.js';

let memory: MemoryEventStore;
let store: CountsCalls;
let ledger: Ledger;

/** One of several instances: nothing that it holds is the newest for certain. */
beforeEach(async () => {
  memory = new MemoryEventStore();
  store = new CountsCalls(memory);
  ledger = await ledgerOn(store, { soleWriter: false });
});

afterEach(() => ledger.close());

const artifact = { artifactId: 'a', parts: [{ text: '1' }] };
const newTask = async () => (await ledger.commands.send(alice, { message: userMessage('m1') })).task.taskId;
const working = async () => {
  const taskId = await newTask();
  await ledger.commands.transition(worker, taskId, { to: 'working' });
  return taskId;
};
const cooperative = { mode: 'cooperative' as const };

describe('the calls of a command on a hot task, where others write too', () => {
  const appending: [string, number, (taskId: string) => Promise<unknown>][] = [
    [
      'a message',
      1,
      (taskId) => ledger.commands.recordMessage(alice, taskId, { message: userMessage('m2') }),
    ],
    [
      'an A2A message',
      1,
      (taskId) => ledger.commands.send(alice, { message: userMessage('m2', 'm', { taskId }) }),
    ],
    ['a transition', 1, (taskId) => ledger.commands.transition(worker, taskId, { to: 'input-required' })],
    ['an artifact', 1, (taskId) => ledger.commands.recordArtifact(worker, taskId, { artifact })],
    [
      'an immediate cancel, its certificate included',
      2,
      (taskId) => ledger.commands.cancel(alice, taskId, {}),
    ],
    ['a cooperative cancel', 2, (taskId) => ledger.commands.cancel(alice, taskId, cooperative)],
    [
      'a child, its announcement included',
      2,
      (taskId) => ledger.commands.create(alice, { parent: { taskId } }),
    ],
  ];

  it.each(appending)('%s appends and makes no read', async (_deed, appends, deed) => {
    const taskId = await working();
    expect(await store.during(() => deed(taskId))).toEqual({ reads: 0, appends });
  });

  it('an end with a result makes no read, the row that it is answered with included', async () => {
    const taskId = await working();
    const ended = async () => {
      const written = await ledger.commands.transition(worker, taskId, { to: 'completed', result: { a: 1 } });
      expect(await ledger.reader.rowOf(written)).toMatchObject({ result: { a: 1 } });
    };
    expect(await store.during(ended)).toEqual({ reads: 0, appends: 1 });
  });

  it('a new task makes no read', async () => {
    expect(await store.during(newTask)).toEqual({ reads: 0, appends: 1 });
    expect(await store.during(() => ledger.commands.create(alice, {}, { idempotencyKey: 'k' }))).toEqual({
      reads: 0,
      appends: 1,
    });
  });

  it('a decline makes no read', async () => {
    const taskId = await working();
    await ledger.commands.cancel(alice, taskId, cooperative);
    expect(await store.during(() => ledger.commands.decline(worker, taskId, {}))).toEqual({
      reads: 0,
      appends: 1,
    });
  });

  const stayed: [string, (taskId: string) => Promise<unknown>][] = [
    ['a no-op', (taskId) => ledger.commands.transition(worker, taskId, { to: 'working' })],
    [
      'a state that no agent sets',
      (taskId) => refusalOf(ledger.commands.transition(worker, taskId, { to: 'canceled' })),
    ],
    [
      'a revision that it does not stand at',
      (taskId) => refusalOf(ledger.commands.transition(worker, taskId, { to: 'completed' }, { ifMatch: 7 })),
    ],
    ['a decline of nothing', (taskId) => refusalOf(ledger.commands.decline(worker, taskId, {}))],
  ];

  it.each(stayed)('%s appends nothing and is confirmed by one read', async (_deed, deed) => {
    const taskId = await working();
    expect(await store.during(() => deed(taskId))).toEqual({ reads: 1, appends: 0 });
  });

  it('nobody confirms what a terminal task refuses', async () => {
    const taskId = await working();
    await ledger.commands.transition(worker, taskId, { to: 'completed' });
    const say = () => refusalOf(ledger.commands.recordMessage(alice, taskId, { message: userMessage('m2') }));
    expect(await store.during(say)).toEqual({ reads: 0, appends: 0 });
    const again = () => ledger.commands.transition(worker, taskId, { to: 'completed' });
    expect(await store.during(again)).toEqual({ reads: 0, appends: 0 });
  });

  it('a late update is noted beside the task with one read, of what stands there', async () => {
    const taskId = await working();
    await ledger.commands.transition(operator, taskId, { to: 'stopped', stoppedBy: 'operator' });
    const late = () => refusalOf(ledger.commands.recordArtifact(worker, taskId, { artifact }));
    expect(await store.during(late)).toEqual({ reads: 1, appends: 1 });
  });

  it('C41 an A2A send that is repeated under its key reads once, for the task as it is now', async () => {
    const other = await ledgerOn(store.behind, { soleWriter: false });
    const { taskId } = (
      await ledger.commands.send(alice, { message: userMessage('m1') }, { idempotencyKey: 'k0' })
    ).task;
    const send = () =>
      ledger.commands.send(alice, { message: userMessage('m2', 'm', { taskId }) }, { idempotencyKey: 'k1' });
    const first = await send();
    memory.faults.hold();
    await other.commands.transition(worker, taskId, { to: 'working' });
    const repeated: unknown[] = [];
    expect(await store.during(async () => repeated.push(await send()))).toEqual({ reads: 1, appends: 0 });
    expect(repeated).toMatchObject([
      {
        repeated: true,
        position: first.position,
        messageRevision: 1,
        task: { revision: 2, state: 'working' },
      },
    ]);
    const birth = () => ledger.commands.send(alice, { message: userMessage('m1') }, { idempotencyKey: 'k0' });
    expect(await store.during(birth)).toEqual({ reads: 1, appends: 0 });
    memory.faults.release();
    await other.close();
  });

  it('a read of a hot task asks the log for what came after it, once', async () => {
    const taskId = await working();
    for (let index = 0; index < 60; index += 1)
      await ledger.commands.recordMessage(alice, taskId, { message: userMessage(`m${String(index)}`) });
    expect(await store.during(() => ledger.reader.row(alice, taskId))).toEqual({ reads: 1, appends: 0 });
  });
});
