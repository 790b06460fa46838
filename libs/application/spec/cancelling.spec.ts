import { MemoryEventStore } from '#testing';
import type { Ledger } from '../src/index.js';
import { alice, ledgerOn, mallory, operator, refusalOf, typesIn, worker } from './given.js';
import { RefusesCancellations, RefusesOnce } from './stores.js';
import { CarryingLedger } from './with-saga.js';

let store: MemoryEventStore;
let world: CarryingLedger;
let ledger: Ledger;

beforeEach(async () => {
  store = new MemoryEventStore();
  world = await CarryingLedger.on(store);
  ({ ledger } = world);
});

afterEach(() => world.close());

const typesOf = (taskId: string) => typesIn(store, `ledger.task-${taskId}`);
const certificate = (cancellationId: string) => ledger.cancellations.get(alice, cancellationId);

describe('a cooperative cancel', () => {
  it('asks a task at work, and leaves it its state', async () => {
    const root = await world.working();
    const { task, cancellationId } = await world.cancel(root, { mode: 'cooperative', reason: 'enough' });
    expect(task).toMatchObject({
      state: 'working',
      openCancellation: { cancellationId, mode: 'cooperative' },
    });
    expect(await typesOf(root)).toEqual(['TaskSubmitted', 'TaskStarted', 'CancellationRequested']);
  });

  it('ends a task that nobody works on at once', async () => {
    const root = await world.task();
    expect((await world.cancel(root, { mode: 'cooperative' })).task.state).toBe('canceled');
  });

  it('asked again answers the open id, gives no other time, and is noted', async () => {
    const root = await world.working();
    const first = await world.cancel(root, { mode: 'cooperative' });
    const again = await ledger.commands.cancel(operator, root, { mode: 'cooperative' });
    expect(again.cancellationId).toBe(first.cancellationId);
    expect(await typesOf(root)).toHaveLength(3);
    expect((await certificate(first.cancellationId)).repeats).toMatchObject([{ by: { principal: 'olga' } }]);
  });

  it('is ended at once, under its own id, by an immediate one, which is noted', async () => {
    const root = await world.working();
    const first = await world.cancel(root, { mode: 'cooperative' });
    const second = await ledger.commands.cancel(operator, root, {});
    expect(second).toMatchObject({ cancellationId: first.cancellationId, task: { state: 'canceled' } });
    expect((await certificate(first.cancellationId)).repeats).toHaveLength(1);
  });

  it('of the root alone is overtaken by a wider one, which has an id of its own', async () => {
    const root = await world.working();
    const child = await world.working(root);
    const narrow = await world.cancel(root, { mode: 'cooperative', cascade: false });
    const wide = await world.cancel(root);
    expect(wide.cancellationId).not.toBe(narrow.cancellationId);
    expect(await world.stateOf(child)).toBe('canceled');
    expect((await certificate(narrow.cancellationId)).counts.alreadyTerminal).toBe(1);
    expect((await certificate(wide.cancellationId)).counts.canceled).toBe(2);
  });

  it('is what a cancel means where the setting says so', async () => {
    const root = await world.working();
    const polite = await ledgerOn(store, { cancelMode: 'cooperative', clock: world.clock });
    const { task } = await polite.commands.cancel(alice, root, { graceMs: 5_000 });
    expect(task.openCancellation).toMatchObject({ mode: 'cooperative' });
    expect((await polite.commands.cancel(alice, root, { mode: 'immediate' })).task.state).toBe('canceled');
    await polite.close();
  });

  it.each([
    { graceMs: 5_000 },
    { mode: 'cooperative', graceMs: 999 },
    { mode: 'cooperative', graceMs: 86_400_001 },
  ] as const)('refuses a grace that means nothing: %j', async (input) => {
    const root = await world.working();
    expect(await refusalOf(ledger.commands.cancel(alice, root, input))).toMatchObject({
      code: 'invalid-request',
      field: 'graceMs',
    });
  });
});

describe('a repetition under its key', () => {
  it('of a cancel that only came second is noted once', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    const repeat = () => ledger.commands.cancel(operator, root, {}, { idempotencyKey: 'k' });
    expect(await repeat()).toMatchObject({ cancellationId, repeated: false });
    expect(await repeat()).toMatchObject({ cancellationId, repeated: true });
    expect((await certificate(cancellationId)).repeats).toHaveLength(1);
  });

  it('finishes a certificate that the first attempt could not open', async () => {
    const root = await world.task();
    const crashing = await ledgerOn(new RefusesCancellations(store), { clock: world.clock });
    const options = { idempotencyKey: 'k' };
    expect(await refusalOf(crashing.commands.cancel(alice, root, {}, options))).toMatchObject({
      code: 'unavailable',
    });
    await crashing.close();
    const { cancellationId } = await ledger.commands.cancel(alice, root, {}, options);
    expect((await certificate(cancellationId)).rootTaskId).toBe(root);
    expect(await typesOf(root)).toEqual(['TaskSubmitted', 'TaskCanceled']);
  });
});

describe('C51 a cancel of the descendants', () => {
  const below = { descendantsOnly: true } as const;

  it('writes nothing on the root, stops what is below it, and is an entry of its own each time', async () => {
    const root = await world.working();
    const child = await world.working(root);
    const first = await world.cancel(root, { ...below, reason: 'stragglers' });
    expect(await world.stateOf(root)).toBe('working');
    expect(await world.stateOf(child)).toBe('canceled');
    expect(await certificate(first.cancellationId)).toMatchObject({
      descendantsOnly: true,
      reason: 'stragglers',
      nodes: [{ taskId: child, depth: 1, parentTaskId: root }],
      counts: { canceled: 1 },
    });
    const second = await world.cancel(root, below);
    expect(second.cancellationId).not.toBe(first.cancellationId);
    expect(await typesOf(root)).toEqual(['TaskSubmitted', 'TaskStarted', 'ChildLinked']);
  });

  it('finishes the stragglers of a root that is canceled already', async () => {
    const root = await world.working();
    const child = await world.working(root);
    await world.cancel(root, { cascade: false });
    expect(await world.stateOf(child)).toBe('working');
    await world.cancel(root, below);
    expect(await world.stateOf(child)).toBe('canceled');
  });

  it('under its key answers the same id, in silence; another body is a conflict, either way round', async () => {
    const root = await world.working();
    const options = { idempotencyKey: 'k' };
    const first = await ledger.commands.cancel(alice, root, below, options);
    const before = await store.readAll({ limit: 100, prefix: 'ledger.' });
    const again = await ledger.commands.cancel(alice, root, below, options);
    expect(again).toMatchObject({ cancellationId: first.cancellationId, repeated: true });
    expect(await store.readAll({ limit: 100, prefix: 'ledger.' })).toEqual(before);
    for (const other of [{ ...below, reason: 'else' }, {}])
      expect(await refusalOf(ledger.commands.cancel(alice, root, other, options))).toMatchObject({
        code: 'idempotency-conflict',
      });
    await ledger.commands.cancel(alice, root, {}, { idempotencyKey: 'other' });
    expect(
      await refusalOf(ledger.commands.cancel(alice, root, below, { idempotencyKey: 'other' })),
    ).toMatchObject({
      code: 'idempotency-conflict',
    });
  });

  it('that crashed before its note finishes it when retried', async () => {
    const root = await world.task();
    const crashing = await ledgerOn(new RefusesOnce(store, `ledger.late-${root}`), { clock: world.clock });
    const options = { idempotencyKey: 'k' };
    expect(await refusalOf(crashing.commands.cancel(alice, root, below, options))).toMatchObject({
      code: 'unavailable',
    });
    await crashing.close();
    await ledger.commands.cancel(alice, root, below, options);
    expect(await typesIn(store, `ledger.late-${root}`)).toEqual(['DescendantsCancellationNoted']);
  });

  it('asks for the rights of a cancel, and for one that cascades', async () => {
    const root = await world.task();
    expect(await refusalOf(ledger.commands.cancel(mallory, root, below))).toMatchObject({
      code: 'task-not-found',
    });
    expect(await refusalOf(ledger.commands.cancel(worker, root, below))).toMatchObject({ code: 'forbidden' });
    const narrow = ledger.commands.cancel(alice, root, { ...below, cascade: false });
    expect(await refusalOf(narrow)).toMatchObject({ code: 'invalid-request', field: 'cascade' });
    const moved = ledger.commands.cancel(alice, root, below, { ifMatch: 9 });
    expect(await refusalOf(moved)).toMatchObject({ code: 'revision-mismatch' });
  });
});

describe('C27 a child that comes after its parent was canceled', () => {
  it('(a) is born canceled for the same cancellation, and linked beside the parent', async () => {
    const parent = await world.working();
    const { cancellationId } = await world.cancel(parent, { reason: 'enough' });
    const { task } = await ledger.commands.create(worker, {
      parent: { taskId: parent, policy: 'cooperative' },
    });
    expect(task).toMatchObject({ state: 'canceled', cancellationId, owner: 'alice', revision: 1 });
    const [submitted, canceled] = await store.readStream(`ledger.task-${task.taskId}`, { limit: 9 });
    expect(JSON.parse(canceled?.data ?? '')).toMatchObject({ content: { body: { reason: 'enough' } } });
    for (const event of [submitted, canceled])
      expect(JSON.parse(event?.metadata ?? '')).toMatchObject({ $correlationId: cancellationId });
    expect(await typesIn(store, `ledger.late-${parent}`)).toEqual(['LateChildLinked']);
    await world.carried();
    expect((await certificate(cancellationId)).nodes).toMatchObject([
      { taskId: parent },
      { taskId: task.taskId, late: true, outcome: 'canceled', worker: 'none' },
    ]);
  });

  it('(a) an existing one is adopted canceled', async () => {
    const parent = await world.working();
    const child = await world.working();
    const { cancellationId } = await world.cancel(parent);
    const { task } = await ledger.commands.adopt(alice, parent, { taskId: child });
    expect(task).toMatchObject({ state: 'canceled', cancellationId, parent: { taskId: parent } });
    expect(await typesOf(child)).toEqual(['TaskSubmitted', 'TaskStarted', 'ParentAssigned', 'TaskCanceled']);
    expect(await typesIn(store, `ledger.late-${parent}`)).toEqual(['LateChildLinked']);
  });

  it('(a) another one under the same key is a conflict, and stays as it is; the same one is found', async () => {
    const parent = await world.task();
    await world.cancel(parent);
    const [taskId, another] = [await world.working(), await world.working()];
    const options = { idempotencyKey: 'k' };
    const first = await ledger.commands.adopt(alice, parent, { taskId }, options);
    ledger.forget();
    const other = ledger.commands.adopt(alice, parent, { taskId: another }, options);
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency-conflict', taskId: parent });
    expect(await world.stateOf(another)).toBe('working');
    const again = await ledger.commands.adopt(alice, parent, { taskId }, options);
    expect(again).toMatchObject({ repeated: true, task: { revision: first.task.revision } });
  });

  it('(a) knows the reason that a forced parent was asked with', async () => {
    const parent = await world.working();
    const asked = { mode: 'cooperative', graceMs: 1_000, reason: 'enough' } as const;
    const { cancellationId } = await world.cancel(parent, asked);
    world.clock.move(2_000);
    await ledger.cascade.fire(parent, { kind: 'request', cancellationId });
    const { task } = await ledger.commands.create(alice, { parent: { taskId: parent } });
    const [, canceled] = await store.readStream(`ledger.task-${task.taskId}`, { limit: 9 });
    expect(JSON.parse(canceled?.data ?? '')).toMatchObject({ content: { body: { reason: 'enough' } } });
  });

  it('(c) is refused where the parent ended otherwise, was canceled alone, or would leave the child alone', async () => {
    const [failed, alone, canceled] = [await world.working(), await world.working(), await world.working()];
    await ledger.commands.transition(worker, failed, { to: 'failed' });
    await world.cancel(alone, { cascade: false });
    await world.cancel(canceled);
    const parents = [{ taskId: failed }, { taskId: alone }, { taskId: canceled, policy: 'abandon' } as const];
    for (const parent of parents)
      expect(await refusalOf(ledger.commands.create(alice, { parent }))).toMatchObject({
        code: 'task-is-terminal',
        taskId: parent.taskId,
      });
  });
});

describe('C51 a dry run', () => {
  const plan = (taskId: string, input = {}, caller = alice) =>
    ledger.commands.planCancellation(caller, taskId, input);
  const everything = () => store.readAll({ limit: 1_000, prefix: 'ledger.' });

  const family = async () => {
    const P = await world.working();
    const asked = await world.working(P, { policy: 'cooperative' });
    const under = await world.working(asked);
    const left = await world.working(P, { policy: 'abandon' });
    const unseen = await world.working(left);
    const done = await world.working(P);
    const behind = await world.working(done);
    await ledger.commands.transition(worker, done, { to: 'completed' });
    await world.carried();
    return { P, asked, under, left, unseen, done, behind };
  };

  it('lists every task with what would become of it, and writes nothing', async () => {
    const { P, asked, under, left, done, behind } = await family();
    const before = await everything();
    const { nodes, counts, nextNodes } = await plan(P);
    expect(await everything()).toEqual(before);
    expect(Object.fromEntries(nodes.map(({ taskId, planned }) => [taskId, planned]))).toEqual({
      [P]: 'cancel',
      [asked]: 'ask',
      [under]: 'afterParent',
      [left]: 'abandon',
      [done]: 'alreadyTerminal',
      [behind]: 'cancel',
    });
    expect(counts).toMatchObject({ cancel: 2, ask: 1, afterParent: 1, abandon: 1, alreadyTerminal: 1 });
    expect(nextNodes).toBeUndefined();
    expect(nodes.find(({ taskId }) => taskId === behind)).toEqual({
      taskId: behind,
      parentTaskId: done,
      depth: 2,
      policy: 'cascade',
      planned: 'cancel',
    });
  });

  it('agrees with what the cancel then does', async () => {
    const { P } = await family();
    const { nodes } = await plan(P);
    const { cancellationId } = await world.cancel(P);
    const planned = new Map(nodes.map((node) => [node.taskId, node.planned]));
    const outcomes = {
      cancel: 'canceled',
      ask: 'waiting',
      abandon: 'abandoned',
      alreadyTerminal: 'alreadyTerminal',
    };
    for (const node of (await certificate(cancellationId)).nodes) {
      const expected = planned.get(node.taskId) ?? 'nothing';
      expect([node.taskId, outcomes[expected as keyof typeof outcomes]]).toEqual([node.taskId, node.outcome]);
    }
  });

  it('of the root alone lists the root alone; of the descendants, everything but the root', async () => {
    const { P } = await family();
    expect((await plan(P, { cascade: false })).nodes).toEqual([{ taskId: P, depth: 0, planned: 'cancel' }]);
    const { nodes } = await plan(P, { descendantsOnly: true });
    expect(nodes.map(({ taskId }) => taskId)).not.toContain(P);
    expect(nodes).toHaveLength(5);
  });

  it('of a polite cancel asks the root, and leaves the rest for later', async () => {
    const { P, left, done } = await family();
    const { nodes } = await plan(P, { mode: 'cooperative' });
    const planned = nodes.map((node) => [node.taskId, node.planned]);
    expect(planned).toContainEqual([P, 'ask']);
    expect(planned).toContainEqual([left, 'abandon']);
    expect(planned).toContainEqual([done, 'alreadyTerminal']);
    expect(nodes.filter((node) => node.planned === 'afterParent')).toHaveLength(3);
  });

  it('is refused what the cancel would be refused, and on a canceled task foretells nothing more', async () => {
    const ended = await world.working();
    await ledger.commands.transition(worker, ended, { to: 'completed' });
    expect(await refusalOf(plan(ended))).toMatchObject({ code: 'task-is-terminal' });
    const root = await world.working();
    expect(await refusalOf(plan(root, {}, mallory))).toMatchObject({ code: 'task-not-found' });
    expect(await refusalOf(plan(root, {}, worker))).toMatchObject({ code: 'forbidden' });
    expect(await refusalOf(plan(root, { graceMs: 5_000 }))).toMatchObject({ field: 'graceMs' });
    const elsewhere = ledger.commands.planCancellation(alice, root, {}, { ifMatch: 7 });
    expect(await refusalOf(elsewhere)).toMatchObject({ code: 'revision-mismatch', revision: 1 });
    const huge = { metadata: { text: 'x'.repeat(1_000_000) }, descendantsOnly: true };
    expect(await refusalOf(plan(root, huge))).toMatchObject({ code: 'payload-too-large' });
    await world.cancel(root);
    expect((await plan(root)).nodes).toEqual([{ taskId: root, depth: 0, planned: 'alreadyTerminal' }]);
  });

  it('comes page by page', async () => {
    const root = await world.task();
    await Promise.all(Array.from({ length: 1_000 }, () => world.task(root)));
    const first = await plan(root);
    expect(first.nodes).toHaveLength(1_000);
    const rest = await ledger.commands.planCancellation(
      alice,
      root,
      {},
      { nodesAfter: first.nextNodes ?? '' },
    );
    expect(rest.nodes).toHaveLength(1);
    expect(rest.counts).toEqual(first.counts);
    expect(first.counts.cancel).toBe(1_001);
    const lost = ledger.commands.planCancellation(alice, root, {}, { nodesAfter: 'nobody' });
    expect(await refusalOf(lost)).toMatchObject({ code: 'invalid-request', field: 'nodesAfter' });
  });
});
