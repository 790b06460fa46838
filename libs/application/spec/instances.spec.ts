import type { EventStore } from '#event-store';
import { MemoryEventStore, StoreInFront } from '#testing';
import type { EventFrame, Ledger, TaskChange } from '../src/index.js';
import { alice, ledgerOn, refusalOf, typesIn, userMessage, worker } from './given.js';
import { MemorySnapshots } from './memory-snapshots.js';
import { AnswersOld } from './stores.js';
import { CarryingLedger } from './with-saga.js';

let store: MemoryEventStore;
let one: Ledger;
let two: Ledger;

/** Two instances of the ledger on one log; neither is the only one that writes. */
beforeEach(async () => {
  store = new MemoryEventStore();
  one = await ledgerOn(store, { soleWriter: false });
  two = await ledgerOn(store, { soleWriter: false });
});

afterEach(async () => {
  await one.close();
  await two.close();
});

const never = () => new AbortController().signal;
const say = (ledger: Ledger, taskId: string, messageId: string) =>
  ledger.commands.send(alice, { message: userMessage(messageId, messageId, { taskId }) });
const working = async () => {
  const { taskId } = (await one.commands.send(alice, { message: userMessage('m1') })).task;
  await one.commands.transition(worker, taskId, { to: 'working' });
  return taskId;
};
const collected = async (changes: AsyncIterable<TaskChange>): Promise<TaskChange[]> => {
  const all: TaskChange[] = [];
  for await (const change of changes) all.push(change);
  return all;
};

describe('two instances on one log', () => {
  it('C34 a hundred messages, a hundred chunks and a cancel: each once, none after the cancel, each answered', async () => {
    const taskId = await working();
    const artifact = { artifactId: 'a', parts: [{ text: 'start' }] };
    await one.commands.recordArtifact(worker, taskId, { artifact });
    const append = { artifact, append: true };
    const calls = Array.from({ length: 100 }, (_, index) => {
      const [sender, reporter] = index % 2 === 0 ? [one, two] : [two, one];
      return [
        say(sender, taskId, `n${String(index)}`),
        reporter.commands.recordArtifact(worker, taskId, append),
        ...(index === 0 ? [two.commands.cancel(alice, taskId, {})] : []),
      ];
    });
    const settled = await Promise.allSettled(calls.flat());
    const refused = settled.flatMap((call) =>
      call.status === 'rejected' ? [(call.reason as { code: string }).code] : [],
    );
    expect(refused.filter((code) => code !== 'task-is-terminal')).toEqual([]);
    const types = await typesIn(store, `ledger.task-${taskId}`);
    expect(types).toHaveLength(3 + settled.length - refused.length);
    expect(types.indexOf('TaskCanceled')).toBe(types.length - 1);
    for (const ledger of [one, two]) {
      const { document } = await ledger.reader.read(alice, taskId, { messages: 200 });
      const chunks = document.artifacts[0]?.parts.length ?? 0;
      expect(document.messages.length - 1 + chunks - 1 + 1).toBe(settled.length - refused.length);
    }
  });

  it('C41 what one has made, the other reads, cancels and reads again at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { task, position } = await one.commands.send(alice, {
        message: userMessage(`m${String(round)}`),
      });
      const { taskId } = task;
      expect((await two.reader.read(alice, taskId)).task).toEqual(task);
      const canceled = await two.commands.cancel(alice, taskId, {});
      expect((await one.reader.row(alice, taskId)).row).toMatchObject({
        status: 'killed',
        stoppedBy: 'user',
      });
      expect(await one.cancellations.get(alice, canceled.cancellationId)).toMatchObject({
        rootTaskId: taskId,
      });
      expect((canceled.position ?? '') > (position ?? '')).toBe(true);
    }
  });

  it('a wait and a stream on the one see what the other appends', async () => {
    const taskId = await working();
    const watched = collected(two.live.watch(taskId, 0, never()));
    const waited = two.live.waitFor(taskId, 1, ({ task }) => task.state === 'completed', {
      timeoutMs: 60_000,
    });
    await say(one, taskId, 'm2');
    await one.commands.transition(worker, taskId, { to: 'completed', result: 'r' });
    await waited;
    const log = await one.reader.events(alice, taskId, { limit: 10, direction: 'forwards' });
    expect((await watched).map(({ event }) => event.id)).toEqual(log.events.slice(1).map(({ id }) => id));
  });

  it('a wait for a cancellation on the one ends with what the other writes on its certificate', async () => {
    const carrying = await CarryingLedger.on(store, { soleWriter: false });
    const root = await carrying.working();
    const below = await carrying.working(root, { policy: 'cooperative' });
    const { cancellationId } = await carrying.cancel(root);
    const waited = two.cancellations.wait(alice, cancellationId, 'settled', { timeoutMs: 60_000 });
    await one.commands.transition(worker, below, { to: 'canceled' });
    await waited;
    expect(await one.cancellations.get(alice, cancellationId)).toMatchObject({ status: 'settled' });
    await carrying.close();
  });

  it('C35 a key is known on every instance, also while both are asked at once', async () => {
    const key = { idempotencyKey: 'k' };
    const births = [one, two, one, two].map((ledger) =>
      ledger.commands.send(alice, { message: userMessage('m1') }, key),
    );
    const born = await Promise.all(births);
    expect(new Set(born.map(({ task }) => task.taskId)).size).toBe(1);
    expect(born.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const taskId = born[0]?.task.taskId ?? '';
    const message = userMessage('m2', 'm', { taskId });
    const said = await Promise.all(
      [one, two, one, two].map((ledger) => ledger.commands.recordMessage(alice, taskId, { message }, key)),
    );
    expect(said.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(
      new Set(said.map(({ position, task }) => `${String(position)} ${String(task.revision)}`)).size,
    ).toBe(1);
    expect(await typesIn(store, `ledger.task-${taskId}`)).toEqual(['TaskSubmitted', 'MessageRecorded']);
    const other = two.commands.recordMessage(alice, taskId, { message: userMessage('m3') }, key);
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency-conflict' });
  });

  it('what one holds of a certificate is what the log holds, though the other said the same at the same place', async () => {
    const taskId = await working();
    await one.commands.cancel(alice, taskId, {});
    const again = await Promise.all(
      [one, two].map((ledger) => ledger.commands.cancel(alice, taskId, {}, { idempotencyKey: 'again' })),
    );
    const [{ cancellationId } = { cancellationId: '' }] = again;
    const fresh = await ledgerOn(store, { soleWriter: false });
    const stored = await fresh.cancellations.get(alice, cancellationId);
    expect(stored.repeats).toHaveLength(1);
    for (const ledger of [one, two])
      expect(await ledger.cancellations.get(alice, cancellationId)).toEqual(stored);
    await fresh.close();
  });
});

describe('a server that was deposed and has not heard of it', () => {
  it('is asked again: what this instance has written, read or seen, it never takes back', async () => {
    const old = new AnswersOld(store);
    const three = await ledgerOn(old, { soleWriter: false, hotFoldsMiB: 0 });
    const taskId = await working();
    await three.reader.row(alice, taskId);
    await old.fallBack(2);
    const told = three.live.waitFor(taskId, 1, () => true, { timeoutMs: 60_000 });
    await say(one, taskId, 'm2');
    await told;
    await old.fallBack(2);
    await say(three, taskId, 'm3').catch(() => undefined);
    const { revision } = (await three.reader.row(alice, taskId)).row;
    expect(revision).toBe(3);
    await three.close();
  });

  it('is no reason to distrust a view that knows more', async () => {
    const old = new AnswersOld(store);
    const snapshots = new MemorySnapshots(store);
    const three = await ledgerOn(old, { soleWriter: false, snapshots });
    const taskId = await working();
    for (let count = 0; count < 34; count += 1) {
      await old.fallBack(count < 30 ? 0 : 1);
      await say(one, taskId, `n${String(count)}`);
      await snapshots.catchUp();
      three.forget();
      expect((await three.reader.row(alice, taskId)).row.revision).toBe(2 + count);
    }
    expect(snapshots.distrusted).toEqual([]);
    await three.close();
  });

  it('is not believed by one read of several of which an answer is made', async () => {
    class OldAtLast extends StoreInFront {
      #before: string | undefined;
      #reads = 0;

      /** The second read from now on is an old one. */
      fallBack(before: string | undefined): void {
        this.#before = before;
        this.#reads = 0;
      }

      override async readStream(...asked: Parameters<EventStore['readStream']>) {
        const events = await super.readStream(...asked);
        const before = this.#before;
        if (before === undefined || (this.#reads += 1) !== 2) return events;
        return events.filter(({ position }) => position <= before);
      }
    }
    const snapshots = new MemorySnapshots(store);
    const taskId = await working();
    const early = await store.head('');
    for (let count = 0; count < 40; count += 1) await say(one, taskId, `a${String(count)}`);
    await snapshots.catchUp();
    for (let count = 0; count < 140; count += 1) await say(one, taskId, `b${String(count)}`);
    const old = new OldAtLast(store);
    const three = await ledgerOn(old, { soleWriter: false, snapshots });
    old.fallBack(await store.head(''));
    await say(one, taskId, 'last');
    expect(await refusalOf(three.reader.read(alice, taskId))).toMatchObject({ code: 'unavailable' });
    three.forget();
    old.fallBack(early);
    expect((await three.reader.read(alice, taskId)).task.revision).toBe(182);
    expect(snapshots.distrusted).toEqual([]);
    await three.close();
  });

  it('is refused where it does not come round', async () => {
    const old = new AnswersOld(store);
    const three = await ledgerOn(old, { soleWriter: false, hotFoldsMiB: 0 });
    const taskId = await working();
    await old.fallBack(1_000);
    await say(three, taskId, 'm2').catch(() => undefined);
    expect(await refusalOf(three.reader.row(alice, taskId))).toMatchObject({ code: 'unavailable' });
    await three.close();
  });
});

describe('while the log is away', () => {
  it('C38 writes are refused, one task is read from its snapshot as stale, and waits and streams go on afterwards', async () => {
    const snapshots = new MemorySnapshots(store);
    const three = await ledgerOn(store, { soleWriter: false, snapshots });
    const taskId = await working();
    await snapshots.catchUp();
    const watched = collected(three.live.watch(taskId, 1, never()));
    const waited = three.live.waitFor(taskId, 1, ({ task }) => task.end !== undefined, { timeoutMs: 60_000 });
    const frames: EventFrame[] = [];
    const end = new AbortController();
    const fed = (async () => {
      for await (const page of three.live.feed(worker, { from: 'end', signal: end.signal }))
        frames.push(...page);
    })();
    await three.live.waitFor(taskId, 1, () => true, { timeoutMs: 1 });
    for (let outage = 0; outage < 3; outage += 1) {
      store.faults.unavailable = true;
      expect(await refusalOf(say(three, taskId, 'lost'))).toMatchObject({ code: 'unavailable' });
      expect(await three.reader.read(alice, taskId)).toMatchObject({ stale: true, task: { revision: 1 } });
      expect(await three.reader.row(alice, taskId)).toMatchObject({ stale: true });
      const during = collected(three.live.watch(taskId, 0, end.signal));
      store.faults.unavailable = false;
      await say(one, taskId, `after-${String(outage)}`);
      await three.live.waitFor(taskId, 1 + outage, () => true, { timeoutMs: 60_000 });
      during.catch(() => undefined);
    }
    await one.commands.transition(worker, taskId, { to: 'completed' });
    await waited;
    const revisions = (await watched).map(({ event }) => event.revision);
    expect(revisions).toEqual([2, 3, 4, 5]);
    while (frames.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(frames.map(({ revision }) => revision)).toEqual([2, 3, 4, 5]);
    expect((await three.reader.read(alice, taskId)).stale).toBeUndefined();
    end.abort();
    await fed;
    await three.close();
  });
});
