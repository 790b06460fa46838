import fc from 'fast-check';
import { MemoryEventStore } from '#testing';
import type { EventFrame, Ledger, TaskChange } from '../src/index.js';
import {
  agentMessage,
  alice,
  ledgerOn,
  mallory,
  operator,
  refusalOf,
  stranger,
  userMessage,
  worker,
} from './given.js';
import { BreaksSubscriptions } from './stores.js';

let store: MemoryEventStore;
let ledger: Ledger;

beforeEach(async () => {
  store = new MemoryEventStore();
  ledger = await ledgerOn(store);
});

afterEach(() => ledger.close());

const newTask = async () => (await ledger.commands.send(alice, { message: userMessage('m1') })).task.taskId;
const never = () => new AbortController().signal;

const collected = async (changes: AsyncIterable<TaskChange>): Promise<TaskChange[]> => {
  const all: TaskChange[] = [];
  for await (const change of changes) all.push(change);
  return all;
};

const say = (taskId: string, messageId: string) =>
  ledger.commands.send(alice, { message: userMessage(messageId, messageId, { taskId }) });

describe('watching a task', () => {
  it('every event after a revision comes once, in order, with the task as of it, and the end ends the watch', async () => {
    const taskId = await newTask();
    const watched = collected(ledger.live.watch(taskId, 0, never()));
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    await say(taskId, 'm2');
    await ledger.commands.transition(worker, taskId, { to: 'completed', result: 'r' });
    const changes = await watched;
    expect(changes.map(({ event }) => [event.revision, event.type])).toEqual([
      [1, 'TaskStarted'],
      [2, 'MessageRecorded'],
      [3, 'ArtifactRecorded'],
      [4, 'TaskCompleted'],
    ]);
    expect(changes.map(({ task }) => task.state)).toEqual(['working', 'working', 'working', 'completed']);
    expect(ledger.live.open).toBe(0);
  });

  it('on an ended task the rest comes and then the end, also when there is no rest', async () => {
    const taskId = await newTask();
    await ledger.commands.transition(worker, taskId, { to: 'completed' });
    expect((await collected(ledger.live.watch(taskId, 0, never()))).map(({ event }) => event.type)).toEqual([
      'TaskCompleted',
    ]);
    expect(await collected(ledger.live.watch(taskId, 1, never()))).toEqual([]);
    ledger.forget();
    expect(await collected(ledger.live.watch(taskId, -1, never()))).toHaveLength(2);
    expect(await collected(ledger.live.watch(taskId, 1, never()))).toEqual([]);
  });

  it('whoever goes away frees his watch at once, also while he asks for nothing', async () => {
    const taskId = await newTask();
    const end = new AbortController();
    const waiting = ledger.live.watch(taskId, 0, end.signal)[Symbol.asyncIterator]();
    const next = waiting.next();
    const idle = ledger.live.watch(taskId, -1, end.signal)[Symbol.asyncIterator]();
    expect((await idle.next()).done).toBe(false);
    expect(ledger.live.open).toBe(2);
    end.abort();
    expect(ledger.live.open).toBe(0);
    expect((await next).done).toBe(true);
  });

  it('a consumer that stops in the middle of a loop frees his watch', async () => {
    const taskId = await newTask();
    for await (const change of ledger.live.watch(taskId, -1, never())) {
      expect(change.event.revision).toBe(0);
      break;
    }
    expect(ledger.live.open).toBe(0);
  });

  it('a slow consumer gets all of it, from the log', async () => {
    const taskId = await newTask();
    const watch = ledger.live.watch(taskId, -1, never())[Symbol.asyncIterator]();
    await watch.next();
    for (let index = 0; index < 600; index += 1) await say(taskId, `n${String(index)}`);
    await ledger.commands.transition(worker, taskId, { to: 'completed' });
    const revisions: number[] = [];
    for (let next = await watch.next(); next.done !== true; next = await watch.next())
      revisions.push(next.value.event.revision);
    expect(revisions).toEqual(Array.from({ length: 601 }, (_, index) => index + 1));
  });

  it('what another instance writes is seen', async () => {
    const taskId = await newTask();
    const watched = collected(ledger.live.watch(taskId, 0, never()));
    const other = await ledgerOn(store);
    await other.commands.transition(worker, taskId, { to: 'working' });
    await other.commands.transition(worker, taskId, { to: 'completed' });
    expect((await watched).map(({ event }) => event.type)).toEqual(['TaskStarted', 'TaskCompleted']);
    await other.close();
  });

  it('C38 a subscription that breaks off before its first event loses nothing that was written meanwhile', async () => {
    const taskId = await newTask();
    const breaking = new BreaksSubscriptions(store);
    const other = await ledgerOn(breaking, { soleWriter: false });
    const watched = collected(other.live.watch(taskId, 0, never()));
    await new Promise(setImmediate);
    breaking.breakOff();
    await ledger.commands.transition(worker, taskId, { to: 'completed' });
    expect((await watched).map(({ event }) => event.type)).toEqual(['TaskCompleted']);
    await other.close();
  });

  it('an end of the ledger ends every watch', async () => {
    const taskId = await newTask();
    const watched = collected(ledger.live.watch(taskId, 0, never()));
    await ledger.close();
    expect(await watched).toEqual([]);
    expect(ledger.live.open).toBe(0);
  });

  it('C18 a watch begun at the very moment of the end ends with the end, and never hangs', async () => {
    for (let round = 0; round < 200; round += 1) {
      const taskId = await newTask();
      const completing = ledger.commands.transition(worker, taskId, { to: 'completed' });
      for (let turn = 0; turn < round % 7; turn += 1) await Promise.resolve();
      const { task } = await ledger.reader.read(alice, taskId);
      const changes = await collected(ledger.live.watch(taskId, task.revision, never()));
      expect(changes.at(-1)?.task.state ?? task.state).toBe('completed');
      await completing;
    }
  });

  it('snapshot and watch together bring every event exactly once, whatever is appended meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('say', 'state', 'forget', 'turn', 'other'), { minLength: 1, maxLength: 40 }),
        fc.nat(20),
        fc.boolean(),
        async (steps, joinAt, hot) => {
          const memory = new MemoryEventStore();
          const own = await ledgerOn(memory, { hotFoldsMiB: hot ? 1 : 0 });
          const other = await ledgerOn(memory, { soleWriter: false });
          const { taskId } = (await own.commands.create(alice, {})).task;
          const revisions: number[] = [];
          let joined: Promise<void> = Promise.resolve();
          const join = async (): Promise<void> => {
            const { task } = await own.reader.read(alice, taskId);
            for (let revision = 0; revision <= task.revision; revision += 1) revisions.push(revision);
            for await (const { event } of own.live.watch(taskId, task.revision, never()))
              revisions.push(event.revision);
          };
          const running: Promise<unknown>[] = [];
          for (const [index, step] of steps.entries()) {
            if (index === Math.min(joinAt, steps.length - 1)) joined = join();
            const message = userMessage(`m${String(index)}`, 'm', { taskId });
            if (step === 'say') running.push(own.commands.send(alice, { message }));
            if (step === 'other') running.push(other.commands.send(alice, { message }));
            if (step === 'state') {
              running.push(
                own.commands.transition(worker, taskId, {
                  to: 'working',
                  message: agentMessage(`a${String(index)}`),
                }),
              );
            }
            if (step === 'forget') own.forget();
            await Promise.resolve();
          }
          await Promise.all(running);
          await own.commands.transition(worker, taskId, { to: 'completed' });
          await joined;
          const { revision } = (await own.reader.read(alice, taskId)).task;
          expect(revisions).toEqual(Array.from({ length: revision + 1 }, (_, index) => index));
          expect(own.live.open).toBe(0);
          await own.close();
          await other.close();
        },
      ),
      { numRuns: 60 },
    );
  }, 30_000);
});

describe('waiting', () => {
  it('ends at the first change after the revision that is waited for', async () => {
    const taskId = await newTask();
    const seen: string[] = [];
    const waited = ledger.live.waitFor(
      taskId,
      0,
      ({ event, task }) => {
        seen.push(event.type);
        return task.state === 'input-required';
      },
      { timeoutMs: 60_000 },
    );
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    await ledger.commands.transition(worker, taskId, { to: 'input-required', message: agentMessage('q') });
    await waited;
    expect(seen).toEqual(['TaskStarted', 'TaskInputRequested']);
    expect(ledger.live.open).toBe(0);
  });

  it('ends when its time is over, and when its signal fires', async () => {
    const taskId = await newTask();
    await ledger.live.waitFor(taskId, 0, () => true, { timeoutMs: 1 });
    const end = new AbortController();
    const waited = ledger.live.waitFor(taskId, 0, () => true, { timeoutMs: 60_000, signal: end.signal });
    end.abort();
    await waited;
    expect(ledger.live.open).toBe(0);
  });
});

describe('the feed', () => {
  const first = async (
    frames: AsyncIterable<readonly EventFrame[]>,
    count: number,
  ): Promise<EventFrame[]> => {
    const all: EventFrame[] = [];
    for await (const batch of frames) {
      all.push(...batch);
      if (all.length >= count) break;
    }
    return all;
  };

  it('brings the events of the caller’s scope only: a user his own, an agent and an operator their tenant', async () => {
    const own = await newTask();
    const foreign = (await ledger.commands.create(mallory, {})).task.taskId;
    const elsewhere = (await ledger.commands.create(stranger, {})).task.taskId;
    await ledger.commands.cancel(alice, own, {});
    const seenBy = async (caller: typeof alice, count: number) =>
      (await first(ledger.live.feed(caller, { from: 'start', signal: never() }), count)).map(
        ({ taskId }) => taskId,
      );
    expect(await seenBy(alice, 3)).toEqual([own, own, own]);
    expect(await seenBy(worker, 4)).toEqual([own, foreign, own, own]);
    expect(await seenBy(operator, 4)).toEqual([own, foreign, own, own]);
    expect(await seenBy(stranger, 1)).toEqual([elsewhere]);
  });

  it('goes on after a position, brings the types that are asked for, and frees itself', async () => {
    const taskId = await newTask();
    const [submitted] = await first(ledger.live.feed(alice, { from: 'start', signal: never() }), 1);
    await say(taskId, 'm2');
    await ledger.commands.transition(worker, taskId, { to: 'working' });
    const types = ['TaskStarted'];
    const [started] = await first(
      ledger.live.feed(alice, { from: submitted?.position ?? '', types, signal: never() }),
      1,
    );
    expect(started).toMatchObject({
      type: 'TaskStarted',
      revision: 2,
      taskId,
      stream: `ledger.task-${taskId}`,
    });
    const end = new AbortController();
    const feed = ledger.live.feed(alice, { from: 'end', signal: end.signal });
    const waiting = feed[Symbol.asyncIterator]().next();
    end.abort();
    expect((await waiting).done).toBe(true);
    expect(ledger.live.open).toBe(0);
  });

  it('refuses a position of another log, one where no event stands, and one that is none', async () => {
    await newTask();
    for (const from of [
      'zzzzzzzz-00000000000000000001',
      `${ledger.logId}-00000000000000009999`,
      'yesterday',
    ]) {
      const frames = ledger.live.feed(alice, { from, signal: never() });
      expect(await refusalOf(first(frames, 1))).toEqual({ code: 'invalid-request', field: 'from' });
    }
    expect(ledger.live.open).toBe(0);
  });
});
