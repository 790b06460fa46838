import fc from 'fast-check';
import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import {
  agentMessage,
  alice,
  HandClock,
  ledgerOn,
  mallory,
  refusalOf,
  userMessage,
  worker,
} from './given.js';
import { MemorySnapshots } from './memory-snapshots.js';

describe('hot folds', () => {
  it('a command to a hot task and its answer read nothing from the store', async () => {
    const ledger = await ledgerOn(new MemoryEventStore());
    const { taskId } = (await ledger.commands.send(alice, { message: userMessage('m1') })).task;
    const { streamReads } = ledger.counters;
    for (let index = 0; index < 20; index += 1) {
      const written = await ledger.commands.send(alice, {
        message: userMessage(`n${String(index)}`, 'n', { taskId }),
      });
      await ledger.reader.rowOf(written);
      await ledger.reader.read(alice, taskId);
    }
    await ledger.commands.transition(worker, taskId, { to: 'completed', result: [1] });
    expect((await ledger.reader.row(alice, taskId)).row.result).toEqual([1]);
    expect(ledger.counters.streamReads).toBe(streamReads);
    await ledger.close();
  });

  it('switched off, every command reads its stream', async () => {
    const ledger = await ledgerOn(new MemoryEventStore(), { hotFoldsMiB: 0 });
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    const { streamReads } = ledger.counters;
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    expect(ledger.counters).toMatchObject({ streamReads: streamReads + 1, hotFolds: 0, hotBytes: 0 });
    await ledger.close();
  });

  it('the folds used last are kept, within their bytes', async () => {
    const ledger = await ledgerOn(new MemoryEventStore(), { hotFoldsMiB: 0.01 });
    const ids: string[] = [];
    for (let index = 0; index < 30; index += 1)
      ids.push((await ledger.commands.create(alice, {})).task.taskId);
    expect(ledger.counters.hotBytes).toBeLessThanOrEqual(10_486);
    expect(ledger.counters.hotFolds).toBeGreaterThan(1);
    const { streamReads } = ledger.counters;
    await ledger.reader.row(alice, ids.at(-1) ?? '');
    expect(ledger.counters.streamReads).toBe(streamReads);
    await ledger.reader.row(alice, ids[0] ?? '');
    expect(ledger.counters.streamReads).toBe(streamReads + 1);
    await ledger.close();
  });

  it('what another instance writes moves a fold on; what is missed drops it', async () => {
    const store = new MemoryEventStore();
    const ledger = await ledgerOn(store);
    const other = await ledgerOn(store, { soleWriter: false });
    const { taskId } = (await ledger.commands.create(alice, {})).task;
    const seen = ledger.live.waitFor(taskId, 0, () => true, { timeoutMs: 10_000 });
    await other.commands.transition(worker, taskId, { to: 'working' });
    await seen;
    const { streamReads } = ledger.counters;
    expect((await ledger.reader.row(alice, taskId)).row.revision).toBe(1);
    expect(ledger.counters.streamReads).toBe(streamReads);
    await ledger.close();
    await other.close();
  });

  it('where others write too, a read of one task asks the log, and a refusal is confirmed by it', async () => {
    const store = new MemoryEventStore();
    const [one, two] = [
      await ledgerOn(store, { soleWriter: false }),
      await ledgerOn(store, { soleWriter: false }),
    ];
    const { taskId } = (await one.commands.create(alice, {})).task;
    await one.commands.transition(worker, taskId, { to: 'working' });
    store.faults.hold();
    const artifact = { artifactId: 'a', parts: [{ text: '1' }] };
    await two.commands.recordArtifact(worker, taskId, { artifact });
    expect((await one.reader.row(alice, taskId)).row.revision).toBe(2);
    const { streamReads } = one.counters;
    expect(await one.commands.transition(worker, taskId, { to: 'working' })).toMatchObject({
      task: { revision: 2 },
    });
    await one.commands.recordArtifact(worker, taskId, { artifact, append: true });
    expect(one.counters.streamReads).toBeGreaterThan(streamReads);
    store.faults.release();
    await one.close();
    await two.close();
  });
});

describe('snapshots', () => {
  const given = async () => {
    const store = new MemoryEventStore();
    const writer = await ledgerOn(store);
    const snapshots = new MemorySnapshots(store);
    const { taskId } = (await writer.commands.send(alice, { message: userMessage('m0') })).task;
    for (let index = 1; index < 140; index += 1) {
      await writer.commands.send(alice, { message: userMessage(`m${String(index)}`, 'm', { taskId }) });
    }
    await snapshots.catchUp();
    await writer.commands.transition(worker, taskId, { to: 'working', message: agentMessage('a1') });
    await writer.close();
    return { store, snapshots, taskId };
  };

  it('a cold task is its snapshot and the events after it, verified at the revision of the snapshot', async () => {
    const { store, snapshots, taskId } = await given();
    const ledger = await ledgerOn(store, { snapshots });
    const { streamReads } = ledger.counters;
    const { task, document } = await ledger.reader.read(alice, taskId, { messages: 2 });
    expect(task).toMatchObject({ revision: 140, state: 'working' });
    expect(document.messages.map(({ message }) => message.messageId)).toEqual(['m138', 'm139', 'a1']);
    expect(ledger.counters.streamReads).toBe(streamReads + 1);
    expect(snapshots.distrusted).toEqual([]);
    await ledger.close();
  });

  it('a snapshot that does not agree with the log decides nothing, and its view is marked', async () => {
    const { store, snapshots, taskId } = await given();
    const held = snapshots.tasks.get(taskId);
    if (held === undefined) throw new Error('no snapshot');
    const wrong = {
      ...held.task,
      state: 'completed' as const,
      lastEventId: '00000000-0000-4000-8000-000000000000',
    };
    snapshots.tasks.set(taskId, { ...held, task: wrong });
    const ledger = await ledgerOn(store, { snapshots });
    expect(await ledger.commands.transition(worker, taskId, { to: 'completed' })).toMatchObject({
      task: { revision: 141 },
    });
    expect(snapshots.distrusted).toEqual([taskId]);
    ledger.forget();
    expect((await ledger.reader.read(alice, taskId)).task.revision).toBe(141);
    await ledger.close();
  });

  it('a snapshot of a log that has ended before it is not believed', async () => {
    const { store, snapshots, taskId } = await given();
    const held = snapshots.tasks.get(taskId);
    if (held === undefined) throw new Error('no snapshot');
    snapshots.tasks.set('ghost', { ...held, task: { ...held.task, taskId: 'ghost' } });
    const ledger = await ledgerOn(store, { snapshots });
    expect(await refusalOf(ledger.reader.read(alice, 'ghost'))).toMatchObject({ code: 'task-not-found' });
    expect(snapshots.distrusted).toEqual(['ghost']);
    await ledger.close();
  });

  it('when the log is away a read is stale, and a write unavailable', async () => {
    const { store, snapshots, taskId } = await given();
    const ledger = await ledgerOn(store, { snapshots });
    store.faults.unavailable = true;
    const view = await ledger.reader.read(alice, taskId, { messages: 1 });
    expect(view).toMatchObject({ stale: true, task: { revision: 139 } });
    expect(await ledger.reader.row(alice, taskId)).toMatchObject({ stale: true, row: { revision: 139 } });
    for (const [caller, id] of [
      [alice, 'other'],
      [mallory, taskId],
    ] as const) {
      expect(await refusalOf(ledger.reader.read(caller, id))).toMatchObject({ code: 'unavailable' });
      expect(await refusalOf(ledger.reader.row(caller, id))).toMatchObject({ code: 'unavailable' });
    }
    expect(await refusalOf(ledger.commands.cancel(alice, taskId, {}))).toMatchObject({ code: 'unavailable' });
    store.faults.unavailable = false;
    expect((await ledger.reader.read(alice, taskId)).stale).toBeUndefined();
    expect((await ledger.reader.row(alice, taskId)).stale).toBeUndefined();
    await ledger.close();
  });

  it('when the log is away the row still has its result', async () => {
    const { store, snapshots, taskId } = await given();
    const ledger = await ledgerOn(store, { snapshots });
    await ledger.commands.transition(worker, taskId, { to: 'completed', result: { n: 1 } });
    await snapshots.catchUp();
    ledger.forget();
    store.faults.unavailable = true;
    expect(await ledger.reader.row(alice, taskId)).toMatchObject({
      stale: true,
      row: { status: 'completed', result: { n: 1 } },
    });
    store.faults.unavailable = false;
    await ledger.close();
  });
});

/** A command, as the property draws it; `task` counts among the tasks made so far. */
interface Drawn {
  readonly deed: string;
  readonly task: number;
  readonly key: number;
  readonly match: boolean;
}

const drawn = fc.record({
  deed: fc.constantFrom(
    'send',
    'create',
    'child',
    'message',
    'message',
    'working',
    'working',
    'ask',
    'chunk',
    'chunk',
    'seal',
    'completed',
    'failed',
    'cancel',
    'adopt',
    'catch-up',
    'read',
    'cut',
    'burst',
  ),
  task: fc.nat(3),
  key: fc.nat(6),
  match: fc.boolean(),
});

/** Ids in an order of their own, so that two runs of the same commands make the same ids. */
const countedIds = () => {
  let tasks = 0;
  let others = 0;
  const uuid = () => `00000000-0000-4000-8000-${String((others += 1)).padStart(12, '0')}`;
  return { taskId: () => `task-${String((tasks += 1)).padStart(6, '0')}`, uuid, random: () => 0 };
};

const answerTo = async (
  ledger: Ledger,
  snapshots: MemorySnapshots,
  tasks: readonly string[],
  step: Drawn,
) => {
  const { commands, reader } = ledger;
  const taskId = tasks[step.task % Math.max(1, tasks.length)] ?? 'none';
  const options = {
    ...(step.key < 3 && { idempotencyKey: `${step.deed}${String(step.key)}` }),
    ...(step.match && { ifMatch: 1 }),
  };
  const artifact = { artifactId: 'a', parts: [{ text: step.deed }] };
  switch (step.deed) {
    case 'send':
      return commands.send(alice, { message: userMessage('s') }, options);
    case 'create':
      return commands.create(alice, { message: userMessage('c') }, options);
    case 'child':
      return commands.create(alice, { parent: { taskId } }, options);
    case 'message':
      return commands.send(alice, { message: userMessage('m', 'm', { taskId }) }, options);
    case 'working':
      return commands.transition(worker, taskId, { to: 'working' }, options);
    case 'ask':
      return commands.transition(
        worker,
        taskId,
        { to: 'input-required', message: agentMessage('q') },
        options,
      );
    case 'chunk':
      return commands.recordArtifact(worker, taskId, { artifact, append: step.match }, options);
    case 'seal':
      return commands.recordArtifact(worker, taskId, { artifact, append: true, lastChunk: true }, options);
    case 'completed':
      return commands.transition(worker, taskId, { to: 'completed', result: 'r' }, options);
    case 'failed':
      return commands.transition(worker, taskId, { to: 'failed', reason: 'f' }, options);
    case 'cancel':
      return commands.cancel(alice, taskId, { reason: 'c' }, options);
    case 'adopt':
      return commands.adopt(alice, tasks[0] ?? 'none', { taskId }, options);
    case 'catch-up':
      return snapshots.catchUp();
    case 'burst':
      for (let more = 0; more < 33; more += 1)
        await commands.send(alice, { message: userMessage('b', 'b', { taskId }) });
      return;
    case 'cut':
      return reader.events(alice, taskId, { limit: 50, direction: 'forwards' });
    default:
      return {
        view: await reader.read(alice, taskId, { messages: 3 }),
        row: await reader.row(alice, taskId),
      };
  }
};

/** Random ids by the order in which they show: how many were thrown away unseen is no answer. */
const withNamedIds = (answers: unknown): unknown => {
  const names = new Map<string, string>();
  const named = JSON.stringify(answers).replace(/00000000-0000-4000-8000-\d{12}/g, (id) => {
    const name = names.get(id) ?? `id ${String(names.size)}`;
    names.set(id, name);
    return name;
  });
  return JSON.parse(named) as unknown;
};

/** Every answer of a run, refusals included, and what the tasks look like at its end. */
const answersOf = async (
  steps: readonly Drawn[],
  hotFoldsMiB: number,
  forget: (index: number) => boolean,
) => {
  const store = new MemoryEventStore({ now: () => new Date(0) });
  const snapshots = new MemorySnapshots(store);
  const ledger = await ledgerOn(store, { snapshots, hotFoldsMiB, ids: countedIds(), clock: new HandClock() });
  const tasks: string[] = [];
  const answers: unknown[] = [];
  for (const [index, step] of steps.entries()) {
    if (forget(index)) ledger.forget(index % 2 === 0 ? undefined : tasks[0]);
    try {
      const answer: unknown = await answerTo(ledger, snapshots, tasks, step);
      answers.push(answer);
      const made = (answer as { task?: { taskId: string } } | undefined)?.task?.taskId;
      if (made !== undefined && !tasks.includes(made)) tasks.push(made);
      if (step.key % 2 === 0 && made !== undefined) answers.push(await ledger.reader.rowOf(answer as never));
    } catch (error) {
      answers.push({ code: (error as { code: string }).code, message: (error as Error).message });
    }
  }
  for (const taskId of tasks)
    answers.push(await ledger.reader.replay(alice, taskId), await ledger.reader.late(alice, taskId));
  await ledger.close();
  return withNamedIds(answers);
};

it('every answer is the same with the folds on, off, or thrown away at random', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 5, maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      async (steps, forgotten) => {
        const on = await answersOf(steps, 8, () => false);
        expect(await answersOf(steps, 0, () => false)).toEqual(on);
        expect(await answersOf(steps, 8, (index) => forgotten[index] === true)).toEqual(on);
        expect(await answersOf(steps, 0.002, () => false)).toEqual(on);
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);
