import { MemoryEventStore } from '#testing';
import { systemIds, type Ledger } from '../src/index.js';
import { alice, ledgerOn, operator, refusalOf, typesIn, userMessage, worker } from './given.js';
import { GoesAway, LosesAnswers, Overtaken, RefusesCancellations } from './stores.js';

const terminal = ['TaskCompleted', 'TaskFailed', 'TaskRejected', 'TaskCanceled', 'TaskStopped'];

/** Accepted and refused calls, by what the refusals said. */
const outcomes = async (calls: readonly Promise<unknown>[]) => {
  const settled = await Promise.allSettled(calls);
  const accepted = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const codes = settled.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
  );
  return { accepted, codes };
};

describe('writers that overlap', () => {
  it('C34 messages, chunks and a cancel through two instances: every accepted write once, nothing after the cancel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const store = new MemoryEventStore();
      const one = await ledgerOn(store, { soleWriter: false });
      const two = await ledgerOn(store, { soleWriter: false });
      const of = (index: number): Ledger => (index % 2 === 0 ? one : two);
      const { taskId } = (await of(0).commands.create(alice, {})).task;
      await of(0).commands.recordArtifact(worker, taskId, {
        artifact: { artifactId: 'a', parts: [{ text: 'start' }] },
      });
      const messages = Array.from({ length: 20 }, (_, index) =>
        of(index).commands.send(alice, { message: userMessage(`m${String(index)}`, 'm', { taskId }) }),
      );
      const chunks = Array.from({ length: 20 }, (_, index) =>
        of(index).commands.recordArtifact(worker, taskId, {
          artifact: { artifactId: 'a', parts: [{ text: `chunk ${String(index)}` }] },
          append: true,
        }),
      );
      const cancel = of(round).commands.cancel(alice, taskId, {});
      const { accepted, codes } = await outcomes([...messages, ...chunks, cancel]);
      expect(accepted.length + codes.length).toBe(41);
      expect(codes.every((code) => code === 'task-is-terminal')).toBe(true);
      const types = await typesIn(store, `ledger.task-${taskId}`);
      expect(types).toHaveLength(2 + accepted.length);
      expect(types.findIndex((type) => terminal.includes(type))).toBe(types.length - 1);
      const view = await of(1).reader.read(alice, taskId, { messages: 100 });
      expect(view.document.messages.length + (view.document.artifacts[0]?.parts.length ?? 0)).toBe(
        accepted.length,
      );
      for (const ledger of [one, two]) await ledger.close();
    }
  });

  it('C34 a rival that always wins makes the ledger give up with unavailable, not with a conflict', async () => {
    const store = new MemoryEventStore();
    const ledger = await ledgerOn(store);
    const rival = await ledgerOn(store);
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    const racing = await ledgerOn(
      new Overtaken(store, async () => {
        await rival.commands.send(alice, { message: userMessage(crypto.randomUUID(), 'first', { taskId }) });
      }),
      { ids: { ...systemIds, random: () => 0 } },
    );
    expect(await refusalOf(racing.commands.transition(worker, taskId, { to: 'working' }))).toMatchObject({
      code: 'unavailable',
    });
    for (const each of [ledger, rival, racing]) await each.close();
  });

  it('C36 an append whose answer was lost is stored once and answered: first append, two events, status', async () => {
    const store = new MemoryEventStore();
    const ledger = await ledgerOn(store);
    store.faults.loseNextReply();
    const { task } = await ledger.commands.send(alice, { message: userMessage('m1') });
    store.faults.loseNextReply();
    await ledger.commands.transition(worker, task.taskId, { to: 'working' });
    store.faults.loseNextReply();
    const written = await ledger.commands.transition(worker, task.taskId, { to: 'completed', result: 1 });
    expect(written).toMatchObject({ repeated: false, task: { revision: 3 } });
    expect(await typesIn(store, `ledger.task-${task.taskId}`)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'ArtifactRecorded',
      'TaskCompleted',
    ]);
    await ledger.close();
  });

  it('C36 when no repetition is answered either, the command is found in the stream', async () => {
    const memory = new MemoryEventStore();
    const store = new LosesAnswers(memory);
    const ledger = await ledgerOn(store);
    const { task } = await ledger.commands.create(alice, {});
    store.losses = 6;
    const written = await ledger.commands.transition(worker, task.taskId, { to: 'completed', result: 'r' });
    expect(written).toMatchObject({ repeated: false, task: { revision: 2, state: 'completed' } });
    expect(written.position).toMatch(/-\d{20}$/);
    store.losses = 6;
    const born = await ledger.commands.send(alice, { message: userMessage('m') });
    expect(await typesIn(memory, `ledger.task-${born.task.taskId}`)).toEqual(['TaskSubmitted']);
    expect(await typesIn(memory, `ledger.task-${task.taskId}`)).toEqual([
      'TaskSubmitted',
      'ArtifactRecorded',
      'TaskCompleted',
    ]);
    await ledger.close();
  });

  it('C36 an append whose answer was lost is not told as refused because its repetition was turned away', async () => {
    const memory = new MemoryEventStore();
    const store = new GoesAway(memory);
    const ledger = await ledgerOn(store);
    const { task } = await ledger.commands.create(alice, {});
    store.goAway();
    const written = await ledger.commands.transition(worker, task.taskId, { to: 'working' });
    expect(written).toMatchObject({ repeated: false, task: { revision: 1, state: 'working' } });
    expect(await typesIn(memory, `ledger.task-${task.taskId}`)).toEqual(['TaskSubmitted', 'TaskStarted']);
    await ledger.close();
  });

  it('C12 an answer is of one moment, whatever is written at the same time', async () => {
    const store = new MemoryEventStore();
    const ledger = await ledgerOn(store);
    for (let round = 0; round < 50; round += 1) {
      const { task } = await ledger.commands.send(alice, { message: userMessage('m1') });
      const { taskId } = task;
      const failing = ledger.commands.transition(worker, taskId, {
        to: 'failed',
        message: { messageId: 'x', role: 'ROLE_AGENT', parts: [{ text: 'no' }] },
      });
      const answer = await ledger.reader.read(alice, taskId);
      const kept = structuredClone(answer);
      await failing;
      expect(answer).toEqual(kept);
      const replayed = await ledger.reader.replay(alice, taskId, { revision: answer.task.revision });
      expect({ task: replayed.task, document: replayed.document }).toEqual(answer);
    }
    await ledger.close();
  });
});

describe('cancel', () => {
  let store: MemoryEventStore;
  let ledger: Ledger;

  beforeEach(async () => {
    store = new MemoryEventStore();
    ledger = await ledgerOn(store);
  });

  afterEach(() => ledger.close());

  const newTask = async () => (await ledger.commands.create(alice, {})).task.taskId;

  it('C29 submitted, working, input-required and auth-required end canceled, with one event and one certificate', async () => {
    for (const state of ['submitted', 'working', 'input-required', 'auth-required'] as const) {
      const taskId = await newTask();
      if (state !== 'submitted') await ledger.commands.transition(worker, taskId, { to: state });
      const { cancellationId, task } = await ledger.commands.cancel(alice, taskId, {
        reason: 'no longer needed',
      });
      expect(task).toMatchObject({ state: 'canceled', stoppedBy: 'user', cancellationId });
      expect(await ledger.commands.cancel(operator, taskId, {})).toMatchObject({ cancellationId, task });
      const types = await typesIn(store, `ledger.task-${taskId}`);
      expect(types.filter((type) => type === 'TaskCanceled')).toHaveLength(1);
      expect(await ledger.cancellations.get(alice, cancellationId)).toMatchObject({
        rootTaskId: taskId,
        status: 'running',
        mode: 'immediate',
        reason: 'no longer needed',
        requestedBy: { principal: 'alice', role: 'user', via: 'a2a-jsonrpc' },
        counts: { canceled: 1, lostRace: 0 },
        workers: state === 'submitted' ? { none: 1 } : { unnotified: 1 },
        nodes: [{ taskId, depth: 0, outcome: 'canceled', revision: types.length - 1 }],
        survivors: [],
        unconfirmed: state === 'submitted' ? [] : [taskId],
        repeats: [{ by: { principal: 'olga', role: 'operator', via: 'ledger-api' } }],
      });
    }
  });

  it('C29 a finished task is not cancelable, and an unknown one unknown', async () => {
    for (const to of ['completed', 'failed', 'rejected'] as const) {
      const taskId = await newTask();
      await ledger.commands.transition(worker, taskId, { to });
      expect(await refusalOf(ledger.commands.cancel(alice, taskId, {}))).toMatchObject({
        code: 'task-is-terminal',
      });
    }
    expect(await refusalOf(ledger.commands.cancel(alice, 'unknown', {}))).toMatchObject({
      code: 'task-not-found',
    });
  });

  it('C29 50 cancels at once: one event, 50 equal answers, 49 repeats on the certificate', async () => {
    const taskId = await newTask();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ledger.commands.cancel(alice, taskId, {})),
    );
    expect(new Set(answers.map(({ cancellationId }) => cancellationId)).size).toBe(1);
    expect(await typesIn(store, `ledger.task-${taskId}`)).toEqual(['TaskSubmitted', 'TaskCanceled']);
    const { repeats } = await ledger.cancellations.get(alice, answers[0]?.cancellationId ?? '');
    expect(repeats).toHaveLength(49);
  });

  it('C29 cancel and completion at once: one of them ends the task, and both callers are told the truth', async () => {
    for (let round = 0; round < 100; round += 1) {
      const taskId = await newTask();
      const complete = () => ledger.commands.transition(worker, taskId, { to: 'completed' });
      const cancel = () => ledger.commands.cancel(alice, taskId, {});
      const calls = round % 2 === 0 ? [complete(), cancel()] : [cancel(), complete()];
      const { accepted, codes } = await outcomes(calls);
      expect([accepted.length, codes]).toEqual([1, ['task-is-terminal']]);
      const { task } = await ledger.reader.read(alice, taskId);
      expect(accepted).toMatchObject([{ task: { state: task.state, revision: 1 } }]);
    }
  });

  it('a cancel retried under its key is no repeat, and gives the same id after a restart', async () => {
    const taskId = await newTask();
    const cancel = () => ledger.commands.cancel(alice, taskId, { reason: 'r' }, { idempotencyKey: 'k' });
    const first = await cancel();
    await ledger.close();
    ledger = await ledgerOn(store);
    const second = await cancel();
    expect([first.repeated, second.repeated]).toEqual([false, true]);
    expect(second.cancellationId).toBe(first.cancellationId);
    expect((await ledger.cancellations.get(alice, first.cancellationId)).repeats).toEqual([]);
  });

  it('the first 100 repeats are noted', async () => {
    const taskId = await newTask();
    const { cancellationId } = await ledger.commands.cancel(alice, taskId, {});
    await Promise.all(Array.from({ length: 105 }, () => ledger.commands.cancel(alice, taskId, {})));
    expect((await ledger.cancellations.get(alice, cancellationId)).repeats).toHaveLength(100);
  });

  it('the request is kept as it was asked: cascade true unless it says otherwise', async () => {
    for (const cascade of [undefined, true, false]) {
      const taskId = await newTask();
      await ledger.commands.cancel(alice, taskId, cascade === undefined ? {} : { cascade });
      const { events } = await ledger.reader.events(alice, taskId, { limit: 1, direction: 'backwards' });
      expect(events).toMatchObject([{ data: { request: { mode: 'immediate', cascade: cascade ?? true } } }]);
    }
  });

  it('a crash between the cancel and its certificate is repaired by whoever asks next', async () => {
    const taskId = await newTask();
    const crashed = await ledgerOn(new RefusesCancellations(store));
    expect(await refusalOf(crashed.commands.cancel(alice, taskId, { reason: 'r' }))).toMatchObject({
      code: 'unavailable',
    });
    await crashed.close();
    const { cancellationId } = (await ledger.reader.read(alice, taskId)).task;
    const [root] = await store.readStream(`ledger.task-${taskId}`, { direction: 'backwards', limit: 1 });
    const roots = {
      rootOfCancellation: () => Promise.resolve({ rootTaskId: taskId, rootRevision: root?.revision ?? -1 }),
    };
    const viewed = await ledgerOn(store, { cancellationRoots: roots });
    expect(await viewed.cancellations.get(alice, cancellationId ?? '')).toMatchObject({
      rootTaskId: taskId,
      reason: 'r',
    });
    expect(await refusalOf(viewed.cancellations.get(alice, 'another'))).toMatchObject({
      code: 'cancellation-not-found',
    });
    await viewed.close();
    expect(await ledger.commands.cancel(alice, taskId, {})).toMatchObject({ cancellationId });
    expect(await typesIn(store, `ledger.cancellation-${cancellationId ?? ''}`)).toEqual([
      'CancellationOpened',
      'CancellationRepeated',
    ]);
  });

  it('a cancel whose certificate would be too large to write is refused before anything is written', async () => {
    const taskId = await newTask();
    for (const size of [999_000, 990_000]) {
      expect(await refusalOf(ledger.commands.cancel(alice, taskId, { reason: 'r'.repeat(size) }))).toEqual({
        code: 'payload-too-large',
        limit: 1_000_000,
      });
    }
    expect(await typesIn(store, `ledger.task-${taskId}`)).toEqual(['TaskSubmitted']);
    const { cancellationId } = await ledger.commands.cancel(alice, taskId, { reason: 'r'.repeat(980_000) });
    expect((await ledger.cancellations.get(alice, cancellationId)).reason).toHaveLength(980_000);
  });

  it('a certificate of a task that the caller may not see looks absent', async () => {
    const { cancellationId } = await ledger.commands.cancel(alice, await newTask(), {});
    const foreign = { ...alice, principal: 'mallory' };
    expect(await refusalOf(ledger.cancellations.get(foreign, cancellationId))).toMatchObject({
      code: 'cancellation-not-found',
    });
  });
});
