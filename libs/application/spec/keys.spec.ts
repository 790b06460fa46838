import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import { alice, HandClock, ledgerOn, mallory, refusalOf, typesIn, userMessage, worker } from './given.js';

let store: MemoryEventStore;
let ledger: Ledger;

beforeEach(async () => {
  store = new MemoryEventStore();
  ledger = await ledgerOn(store);
});

afterEach(() => ledger.close());

const restart = async (): Promise<void> => {
  await ledger.close();
  ledger = await ledgerOn(store);
};

const send = (messageId: string, key: string, text = messageId, caller = alice) =>
  ledger.commands.send(caller, { message: userMessage(messageId, text) }, { idempotencyKey: key });

const taskEvents = async () =>
  (await store.readAll({ limit: 4_096, prefix: 'ledger.task-' })).map(({ type }) => type);

describe('idempotency keys', () => {
  it('C35 a send repeated under its key makes one task: in sequence, 20 at once, and after a restart', async () => {
    const first = await send('m-77', 'k');
    const second = await send('m-77', 'k');
    const parallel = await Promise.all(Array.from({ length: 20 }, () => send('m-77', 'k')));
    await restart();
    const afterRestart = await send('m-77', 'k');
    const ids = [second, ...parallel, afterRestart].map(({ task }) => task.taskId);
    expect(new Set(ids)).toEqual(new Set([first.task.taskId]));
    expect([first, second, afterRestart].map(({ repeated }) => repeated)).toEqual([false, true, true]);
    expect(second).toMatchObject({ created: true, messageRevision: 0 });
    expect(await taskEvents()).toEqual(['TaskSubmitted']);
  });

  it('C35 20 first sends at once make one task', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('m-77', 'k')));
    expect(new Set(answers.map(({ task }) => task.taskId)).size).toBe(1);
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(await taskEvents()).toEqual(['TaskSubmitted']);
  });

  it('C35 other content under a known key is a conflict, and nothing is stored', async () => {
    await send('m-77', 'k');
    await restart();
    expect(await refusalOf(send('m-77', 'k', 'other parts'))).toMatchObject({ code: 'idempotency-conflict' });
    expect(await taskEvents()).toEqual(['TaskSubmitted']);
  });

  it('C35 the same key of another caller is another key', async () => {
    const { task } = await send('m-77', 'k');
    const other = await send('m-77', 'k', 'm-77', mallory);
    expect(other).toMatchObject({ repeated: false, task: { owner: 'mallory' } });
    expect(other.task.taskId).not.toBe(task.taskId);
  });

  it('C35 a follow-up repeated under its key is in the history once, and answers the task as it is now', async () => {
    const { task } = await send('m-77', 'k');
    const message = userMessage('m-78', 'more', { taskId: task.taskId });
    const first = await ledger.commands.send(alice, { message }, { idempotencyKey: 'k' });
    await ledger.commands.transition(worker, task.taskId, { to: 'working' });
    await restart();
    const second = await ledger.commands.send(alice, { message }, { idempotencyKey: 'k' });
    expect([first.messageRevision, second.messageRevision]).toEqual([1, 1]);
    expect(second).toMatchObject({ repeated: true, created: false, task: { revision: 2, state: 'working' } });
    expect(await taskEvents()).toEqual(['TaskSubmitted', 'MessageRecorded', 'TaskStarted']);
  });

  it('a known key is answered as the first time, folded to its last revision, whatever came later', async () => {
    const { task } = await ledger.commands.create(alice, {}, { idempotencyKey: 'c' });
    const { taskId } = task;
    const done = { to: 'completed', result: 'yes' } as const;
    await ledger.commands.transition(worker, taskId, { to: 'working' }, { idempotencyKey: 'w' });
    await ledger.commands.transition(worker, taskId, done, { idempotencyKey: 'd' });
    for (const _ of ['hot', 'restarted']) {
      const working = await ledger.commands.transition(
        worker,
        taskId,
        { to: 'working' },
        { idempotencyKey: 'w' },
      );
      expect(working).toMatchObject({ repeated: true, task: { revision: 1, state: 'working' } });
      const completed = await ledger.commands.transition(worker, taskId, done, { idempotencyKey: 'd' });
      expect(await ledger.reader.rowOf(completed)).toMatchObject({ revision: 3, result: 'yes' });
      const created = await ledger.commands.create(alice, {}, { idempotencyKey: 'c' });
      expect(created).toMatchObject({ repeated: true, task: { revision: 0, state: 'submitted' } });
      await restart();
    }
  });

  it('C41 a repetition says the position of the first answer: whoever lost that can wait for it', async () => {
    const key = { idempotencyKey: 'p' };
    const { task, position } = await ledger.commands.create(alice, {}, key);
    const { taskId } = task;
    const message = userMessage('m', 'm', { taskId });
    const calls = [
      () => ledger.commands.send(alice, { message }, key),
      () => ledger.commands.transition(worker, taskId, { to: 'completed', result: 1 }, key),
    ];
    const first = [];
    for (const call of calls) first.push((await call()).position);
    await restart();
    const again = [(await ledger.commands.create(alice, {}, key)).position];
    for (const call of calls) again.push((await call()).position);
    expect(again).toEqual([position, ...first]);
    expect(new Set(again).size).toBe(3);
  });

  it('a create repeated after its deadline is answered as the first time', async () => {
    const clock = new HandClock();
    const early = await ledgerOn(store, { clock });
    const input = { deadline: new Date(clock.now() + 1_000).toISOString() };
    const options = { idempotencyKey: 'k' };
    const first = await early.commands.create(alice, input, options);
    clock.move(2_000);
    early.forget();
    expect(await early.commands.create(alice, input, options)).toEqual({ ...first, repeated: true });
    const another = early.commands.create(alice, input, { idempotencyKey: 'l' });
    expect(await refusalOf(another)).toMatchObject({ code: 'invalid-request', field: 'deadline' });
    await early.close();
  });

  it('a create repeated by whoever may not see its task any more finds none', async () => {
    const parent = await ledger.commands.create(alice, {});
    const child = { parent: { taskId: parent.task.taskId } };
    await ledger.commands.create(worker, child, { idempotencyKey: 'c' });
    const demoted = { ...worker, role: 'user' as const };
    for (const _ of ['hot', 'restarted']) {
      const repeated = ledger.commands.create(demoted, child, { idempotencyKey: 'c' });
      expect(await refusalOf(repeated)).toMatchObject({ code: 'task-not-found' });
      await restart();
    }
  });

  it('a known key is looked up before If-Match', async () => {
    const { task } = await ledger.commands.create(alice, {});
    const options = { idempotencyKey: 'w', ifMatch: 0 };
    await ledger.commands.transition(worker, task.taskId, { to: 'working' }, options);
    expect(await ledger.commands.transition(worker, task.taskId, { to: 'working' }, options)).toMatchObject({
      repeated: true,
      task: { revision: 1 },
    });
  });

  it('a refusal is decided again: its key is not used up', async () => {
    const { task } = await ledger.commands.create(alice, {});
    const wrong = { artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: true };
    const options = { idempotencyKey: 'a' };
    expect(
      await refusalOf(ledger.commands.recordArtifact(worker, task.taskId, wrong, options)),
    ).toMatchObject({
      code: 'artifact-not-open',
    });
    await ledger.commands.recordArtifact(worker, task.taskId, {
      artifact: { artifactId: 'a', parts: [{ text: '1' }] },
    });
    expect(await ledger.commands.recordArtifact(worker, task.taskId, wrong, options)).toMatchObject({
      repeated: false,
    });
  });

  it('the order of the fields of a body does not matter to its key', async () => {
    const { task } = await ledger.commands.create(
      alice,
      { metadata: { a: 1, b: 2 } },
      { idempotencyKey: 'c' },
    );
    const again = await ledger.commands.create(alice, { metadata: { b: 2, a: 1 } }, { idempotencyKey: 'c' });
    expect(again).toMatchObject({ repeated: true, task: { taskId: task.taskId } });
  });

  it('a key of more than 256 characters, or of none, is refused by name', async () => {
    for (const idempotencyKey of ['', 'k'.repeat(257)]) {
      expect(await refusalOf(ledger.commands.create(alice, {}, { idempotencyKey }))).toMatchObject({
        code: 'invalid-request',
        field: 'Idempotency-Key',
      });
    }
  });

  it('the answer of a create under a key is found by another instance', async () => {
    const other = await ledgerOn(store, { soleWriter: false });
    const [one, two] = await Promise.all([
      send('m-77', 'k'),
      other.commands.send(alice, { message: userMessage('m-77') }, { idempotencyKey: 'k' }),
    ]);
    expect(one.task).toEqual(two.task);
    expect(await typesIn(store, `ledger.task-${one.task.taskId}`)).toEqual(['TaskSubmitted']);
    await other.close();
  });
});
