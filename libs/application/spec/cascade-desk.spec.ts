import {
  scopeOfDescendants,
  scopeOfEnd,
  scopeOfRequest,
  type CancellationScope,
  type SettledNode,
} from '#domain';
import { MemoryEventStore } from '#testing';
import { nameBasedUuid, type Ledger, type LedgerOptions, type Snapshots } from '../src/index.js';
import { alice, ledgerOn, refusalOf, TickingClock, typesIn, userMessage, worker } from './given.js';
import { AnswersLate, AnswersOld, RefusesCancellations, WrittenBefore } from './stores.js';

let store: MemoryEventStore;
let clock: TickingClock;
let ledger: Ledger;

const open = (options: Partial<LedgerOptions> = {}) => ledgerOn(store, { clock, ...options });

beforeEach(async () => {
  store = new MemoryEventStore();
  clock = new TickingClock();
  ledger = await open();
});

afterEach(() => ledger.close());

const task = async () => (await ledger.commands.create(alice, {})).task.taskId;
const working = async () => {
  const taskId = await task();
  await ledger.commands.transition(worker, taskId, { to: 'working' });
  return taskId;
};

/** The scope of the cancellation that ended a task, or asks it. */
const scopeAt = async (rootTaskId: string, revision: number): Promise<CancellationScope> => {
  const found = await ledger.cascade.event(`ledger.task-${rootTaskId}`, revision);
  const event = found?.decoded.kind === 'task' ? found.decoded.event : undefined;
  if (found === undefined || (event?.type !== 'TaskCanceled' && event?.type !== 'CancellationRequested'))
    throw new Error('no cancellation stands there');
  const { id: eventId, position } = found.recorded;
  return scopeOfRequest(rootTaskId, event.data, { eventId, position, at: event.data.at });
};

const canceledRoot = async (): Promise<CancellationScope> => {
  const rootTaskId = await task();
  await ledger.commands.cancel(alice, rootTaskId, { reason: 'enough' });
  return scopeAt(rootTaskId, 1);
};

const to = (taskId: string, causeId = 'cause') => ({ taskId, cooperative: false, causeId });

const line = (taskId: string): SettledNode => ({
  taskId,
  depth: 1,
  reachedAt: '2026-03-01T12:00:00.000Z',
  outcome: 'canceled',
  settledAt: '2026-03-01T12:00:01.000Z',
  worker: 'unnotified',
  attempts: 1,
});

describe('a cancellation that is carried to a task', () => {
  it('ends it in the ledger’s own name, under derived ids, for the event that caused it', async () => {
    const scope = await canceledRoot();
    const taskId = await working();
    const { task: carried, places } = await ledger.cascade.carry(scope, to(taskId, scope.begin.eventId));
    expect(carried).toMatchObject({
      state: 'canceled',
      stoppedBy: 'parent',
      cancellationId: scope.cancellationId,
    });
    const [recorded] = await store.readStream(`ledger.task-${taskId}`, { from: 2, limit: 1 });
    const means = ['TaskCanceled', ledger.logId, scope.cancellationId, taskId, carried.end?.at ?? ''];
    expect(recorded?.id).toBe(nameBasedUuid(means));
    expect(JSON.parse(recorded?.metadata ?? '')).toMatchObject({
      tenant: 'acme',
      owner: 'alice',
      principal: 'system',
      role: 'system',
      via: 'system',
      $causationId: scope.begin.eventId,
      $correlationId: scope.cancellationId,
    });
    expect([...places]).toEqual([
      [2, { eventId: recorded?.id, position: recorded?.position, at: carried.end?.at }],
    ]);
  });

  it('done again changes nothing', async () => {
    const scope = await canceledRoot();
    const taskId = await working();
    await ledger.cascade.carry(scope, to(taskId));
    const again = await ledger.cascade.carry(scope, to(taskId));
    expect(again.places.size).toBe(0);
    expect(await typesIn(store, `ledger.task-${taskId}`)).toHaveLength(3);
  });

  it('asks a task at work over a cooperative link, for as long as the link says', async () => {
    const scope = await canceledRoot();
    const taskId = await working();
    const asked = await ledger.cascade.carry(scope, { ...to(taskId), cooperative: true, graceMs: 5_000 });
    const { openCancellation: request } = asked.task;
    expect(request).toMatchObject({ cancellationId: scope.cancellationId, stoppedBy: 'parent' });
    expect(Date.parse(request?.dueAt ?? '') - Date.parse(request?.requestedAt ?? '')).toBe(5_000);
  });

  it('reads nothing where the task is hot, and nothing where its fold is known', async () => {
    const scope = await canceledRoot();
    const [hot, known] = [await working(), await working()];
    const before = ledger.counters.streamReads;
    await ledger.cascade.carry(scope, to(hot));
    const fold = await ledger.cascade.task(known);
    ledger.forget();
    await ledger.cascade.carry(scope, { ...to(known), ...(fold && { known: fold }) });
    expect(ledger.counters.streamReads).toBe(before);
  });

  it('is decided anew where the known fold is not the newest', async () => {
    const scope = await canceledRoot();
    const taskId = await working();
    const known = await ledger.cascade.task(taskId);
    await ledger.commands.transition(worker, taskId, { to: 'completed' });
    ledger.forget();
    const carried = await ledger.cascade.carry(scope, { ...to(taskId), ...(known && { known }) });
    expect(carried.task.state).toBe('completed');
    expect(carried.places.size).toBe(0);
  });

  it('makes a task that was loaded hot', async () => {
    const taskId = await working();
    ledger.forget();
    await ledger.cascade.task(taskId);
    const before = ledger.counters.streamReads;
    await ledger.cascade.task(taskId);
    expect(ledger.counters.streamReads).toBe(before);
  });

  it('an orphan is stopped under the id that its parent’s end gives', async () => {
    const [parent, child] = [await working(), await working()];
    await ledger.commands.transition(worker, parent, { to: 'failed' });
    const ended = await ledger.cascade.task(parent);
    if (ended?.end === undefined) throw new Error('the parent lives');
    const { eventId, at } = ended.end;
    const cancellationId = ledger.cascade.parentEndId(parent, eventId);
    expect(cancellationId).toBe(nameBasedUuid(['parentEnd', ledger.logId, parent, eventId]));
    const scope = scopeOfEnd(ended, cancellationId, { eventId, at, position: '0' });
    expect(await ledger.cascade.open(scope)).toMatchObject({ parentEnded: true, rootRevision: 2 });
    await ledger.cascade.open(scope);
    expect(await typesIn(store, `ledger.cancellation-${cancellationId}`)).toEqual(['CancellationOpened']);
    const { task: stopped } = await ledger.cascade.carry(scope, to(child));
    expect(stopped).toMatchObject({ state: 'stopped', stoppedBy: 'orphaned', cancellationId });
  });
});

describe('folds of the saga', () => {
  it('of short tasks ask no view: their streams cost less', async () => {
    let asked = 0;
    const snapshots: Snapshots = {
      load: () => {
        asked += 1;
        return Promise.resolve(undefined);
      },
      loadDocument: () => Promise.resolve(undefined),
      distrust: () => undefined,
    };
    const [short, long] = [await working(), await working()];
    for (let said = 0; said < 40; said += 1)
      await ledger.commands.recordMessage(alice, long, { message: userMessage(`m${said}`) });
    const viewed = await open({ snapshots });
    expect(await viewed.cascade.task(short)).toEqual(await ledger.cascade.task(short));
    expect(asked).toBe(0);
    expect(await viewed.cascade.task(long)).toEqual(await ledger.cascade.task(long));
    expect(asked).toBe(1);
    await viewed.close();
  });

  it('are not older than the event that made it look', async () => {
    const others = await open();
    const taskId = await working();
    await ledger.cascade.task(taskId);
    await others.commands.transition(worker, taskId, { to: 'completed' });
    expect((await ledger.cascade.task(taskId, 2))?.state).toBe('completed');
    await others.close();
  });

  it('are not older than that event where a server answers that was deposed and has not heard of it', async () => {
    const old = new AnswersOld(store);
    const taskId = await working();
    const behind = await open({ store: old, hotFoldsMiB: 0, soleWriter: false });
    await old.fallBack(1);
    // The saga may be told of an event before anybody else in its process.
    store.faults.hold();
    await ledger.commands.transition(worker, taskId, { to: 'completed' });
    expect((await behind.cascade.task(taskId, 2))?.state).toBe('completed');
    store.faults.release();
    await behind.close();
  });

  it('wait for an append of our own whose event may have been told already', async () => {
    const taskId = await working();
    const late = new AnswersLate(store, `ledger.task-${taskId}`);
    const slow = await open({ store: late });
    await slow.cascade.task(taskId);
    const writing = slow.commands.transition(worker, taskId, { to: 'completed' });
    await late.committed;
    const looked = slow.cascade.task(taskId);
    late.answer();
    expect((await looked)?.state).toBe('completed');
    await writing;
    await slow.close();
  });

  it('of a certificate are not older either, whoever wrote to it', async () => {
    const scope = await canceledRoot();
    const { cancellationId } = scope;
    await ledger.cascade.cancellation(cancellationId);
    const others = await open();
    await others.cascade.record(scope, { kind: 'settle-nodes', nodes: [line('a')] });
    expect((await ledger.cascade.cancellation(cancellationId, 1))?.nodeCount).toBe(1);
    await others.close();
  });
});

describe('what the saga writes beside the tasks', () => {
  it('a certificate that its handler did not open is opened in the words of the root’s own event', async () => {
    const rootTaskId = await task();
    const crashing = await open({ store: new RefusesCancellations(store) });
    const asked = { reason: 'enough', metadata: { ticket: 'OPS-7' } };
    await refusalOf(crashing.commands.cancel(alice, rootTaskId, asked));
    await crashing.close();
    const scope = await scopeAt(rootTaskId, 1);
    expect(await ledger.cascade.open(scope)).toMatchObject({ ...asked, rootTaskId, rootRevision: 1 });
    const [opened] = await store.readStream(`ledger.cancellation-${scope.cancellationId}`, { limit: 9 });
    expect(JSON.parse(opened?.metadata ?? '')).toMatchObject({
      principal: 'alice',
      $causationId: scope.begin.eventId,
    });
  });

  it('lines are written in one append, and once', async () => {
    const scope = await canceledRoot();
    const nodes = Array.from({ length: 256 }, (_, index) => line(`t${String(index)}`));
    await ledger.cascade.record(scope, { kind: 'settle-nodes', nodes });
    await ledger.cascade.record(scope, { kind: 'settle-nodes', nodes });
    const log = await ledger.cascade.record(scope, { kind: 'settle', whole: true });
    expect(log).toMatchObject({ status: 'settled', nodeCount: 256, counts: { canceled: 256 } });
    expect(await typesIn(store, `ledger.cancellation-${scope.cancellationId}`)).toEqual([
      'CancellationOpened',
      'NodesSettled',
      'CancellationSettled',
    ]);
  });

  it('a line on a large certificate reads nothing of it', async () => {
    const scope = await canceledRoot();
    const before = ledger.counters.streamReads;
    for (let page = 0; page < 20; page += 1) {
      const nodes = Array.from({ length: 256 }, (_, index) => line(`${String(page)}-${String(index)}`));
      await ledger.cascade.record(scope, { kind: 'settle-nodes', nodes });
    }
    await ledger.commands.acknowledge(worker, scope.rootTaskId, {});
    expect(ledger.counters.streamReads).toBe(before);
  });

  it('where others write too, a line costs one read of the certificate’s end', async () => {
    const scope = await canceledRoot();
    const shared = await open({ soleWriter: false });
    await shared.cascade.record(scope, { kind: 'settle-nodes', nodes: [line('a')] });
    await ledger.cascade.record(scope, { kind: 'settle-nodes', nodes: [line('b')] });
    const before = shared.counters.streamReads;
    const log = await shared.cascade.record(scope, { kind: 'settle-nodes', nodes: [line('c')] });
    expect(shared.counters.streamReads - before).toBe(1);
    expect(log.counts.canceled).toBe(3);
    await shared.close();
  });

  it('a line that somebody else overtook is decided anew, and stands once', async () => {
    const scope = await canceledRoot();
    const { cancellationId } = scope;
    const overtaken = new WrittenBefore(store, `ledger.cancellation-${cancellationId}`);
    const slow = await open({ store: overtaken });
    overtaken.before = async () => {
      await ledger.cascade.record(scope, { kind: 'settle-nodes', nodes: [line('a')] });
    };
    const log = await slow.cascade.record(scope, { kind: 'settle-nodes', nodes: [line('a'), line('b')] });
    expect(log).toMatchObject({ nodeCount: 2, counts: { canceled: 2 }, revision: 2 });
    await slow.close();
  });

  it('a child is announced for the child’s own event, beside a parent that has ended', async () => {
    const parent = await working();
    const child = await task();
    await ledger.commands.adopt(alice, parent, { taskId: child });
    const fold = await ledger.cascade.task(child);
    if (fold === undefined) throw new Error('no child');
    await ledger.cascade.announce(fold, 'cause');
    expect(await typesIn(store, `ledger.task-${parent}`)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'ChildLinked',
    ]);
    const other = await working();
    await ledger.commands.transition(worker, other, { to: 'completed' });
    const late = { ...fold, parent: { taskId: other, policy: 'cascade', onEnd: 'abandon' } as const };
    await ledger.cascade.announce(late, 'cause');
    await ledger.cascade.announce(late, 'cause');
    const [linked, ...more] = await store.readStream(`ledger.late-${other}`, { limit: 9 });
    expect(more).toEqual([]);
    expect(linked?.type).toBe('LateChildLinked');
    expect(JSON.parse(linked?.metadata ?? '')).toMatchObject({ principal: 'system', $causationId: 'cause' });
  });

  it('the note of a cancellation of the descendants stands once', async () => {
    const root = await working();
    const { cancellationId } = await ledger.commands.cancel(alice, root, { descendantsOnly: true });
    const opened = await ledger.cascade.event(`ledger.cancellation-${cancellationId}`, 0);
    const event = opened?.decoded.kind === 'cancellation' ? opened.decoded.event : undefined;
    if (opened === undefined || event?.type !== 'CancellationOpened') throw new Error('not opened');
    const { id: eventId, position } = opened.recorded;
    await ledger.cascade.note(scopeOfDescendants(event.data, { eventId, position, at: event.data.at }));
    expect(await typesIn(store, `ledger.late-${root}`)).toEqual(['DescendantsCancellationNoted']);
  });
});

describe('a timer that has run out', () => {
  it('forces a request that is due, once, for the event that armed it', async () => {
    const root = await working();
    const { cancellationId } = await ledger.commands.cancel(alice, root, {
      mode: 'cooperative',
      graceMs: 1_000,
    });
    const timer = { kind: 'request', cancellationId } as const;
    await ledger.cascade.fire(root, timer);
    expect(await typesIn(store, `ledger.task-${root}`)).toHaveLength(3);
    clock.move(1_000);
    await Promise.all([ledger.cascade.fire(root, timer), ledger.cascade.fire(root, timer)]);
    const [asked, forced, ...more] = await store.readStream(`ledger.task-${root}`, { from: 2, limit: 9 });
    expect(more).toEqual([]);
    expect(JSON.parse(forced?.data ?? '')).toMatchObject({ forced: true, cancellationId });
    expect(JSON.parse(forced?.metadata ?? '')).toMatchObject({
      principal: 'system',
      $causationId: asked?.id,
      $correlationId: cancellationId,
    });
  });

  it('stops a task at its deadline, never before, and names the rule', async () => {
    const deadline = new Date(clock.now() + 60_000).toISOString();
    const { task: made } = await ledger.commands.create(alice, { deadline });
    await ledger.cascade.fire(made.taskId, { kind: 'deadline' });
    expect((await ledger.cascade.task(made.taskId))?.state).toBe('submitted');
    clock.move(60_000);
    await ledger.cascade.fire(made.taskId, { kind: 'deadline' });
    expect(await ledger.cascade.task(made.taskId)).toMatchObject({ state: 'stopped', stoppedBy: 'deadline' });
  });

  it('means nothing for a task that has ended, or that was never asked', async () => {
    const taskId = await working();
    await ledger.cascade.fire(taskId, { kind: 'request', cancellationId: 'unknown' });
    await ledger.cascade.fire('no-such-task', { kind: 'deadline' });
    expect(await typesIn(store, `ledger.task-${taskId}`)).toHaveLength(2);
  });
});
