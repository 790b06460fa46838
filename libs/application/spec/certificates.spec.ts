import { MemoryEventStore } from '#testing';
import { alice, mallory, operator, refusalOf, stranger, typesIn, worker } from './given.js';
import { CarryingLedger } from './with-saga.js';

let store: MemoryEventStore;
let world: CarryingLedger;

beforeEach(async () => {
  store = new MemoryEventStore();
  world = await CarryingLedger.on(store);
});

afterEach(() => world.close());

const certificate = (cancellationId: string, caller = alice) =>
  world.ledger.cancellations.get(caller, cancellationId);

/** P over A (A1, A2), B, a completed C with a child C1 at work, and D, which is abandoned. */
const family = async () => {
  const P = await world.working();
  const A = await world.working(P);
  const A1 = await world.working(A);
  const A2 = await world.task(A1);
  const B = await world.working(P);
  const C = await world.working(P);
  const C1 = await world.working(C);
  const D = await world.working(P, { policy: 'abandon' });
  await world.ledger.commands.transition(worker, C, { to: 'completed' });
  await world.carried();
  return { P, A, A1, A2, B, C, C1, D };
};

describe('a certificate', () => {
  it('C26 lists every node with its outcome, its place and its worker', async () => {
    const { P, A, A1, A2, B, C, C1, D } = await family();
    const { cancellationId } = await world.cancel(P, { reason: 'budget exceeded' });
    const found = await certificate(cancellationId);
    expect(found).toMatchObject({
      rootTaskId: P,
      status: 'settled',
      reason: 'budget exceeded',
      cascade: true,
    });
    const lines = found.nodes.map(({ taskId, depth, parentTaskId, outcome, worker: state }) => ({
      taskId,
      depth,
      parentTaskId,
      outcome,
      state,
    }));
    const line = (
      taskId: string,
      depth: number,
      parentTaskId: string | undefined,
      outcome: string,
      state: string,
    ) => ({
      taskId,
      depth,
      parentTaskId,
      outcome,
      state,
    });
    const byDepthAndId = (one: ReturnType<typeof line>, other: ReturnType<typeof line>) =>
      one.depth - other.depth || (one.taskId < other.taskId ? -1 : 1);
    expect(lines).toEqual(
      [
        line(P, 0, undefined, 'canceled', 'unnotified'),
        line(A, 1, P, 'canceled', 'unnotified'),
        line(B, 1, P, 'canceled', 'unnotified'),
        line(C, 1, P, 'alreadyTerminal', 'none'),
        line(D, 1, P, 'abandoned', 'none'),
        line(A1, 2, A, 'canceled', 'unnotified'),
        line(C1, 2, C, 'canceled', 'unnotified'),
        line(A2, 3, A1, 'canceled', 'none'),
      ].sort(byDepthAndId),
    );
    expect(found.counts).toMatchObject({ canceled: 6, alreadyTerminal: 1, abandoned: 1, lostRace: 0 });
    expect(found.workers).toMatchObject({ unnotified: 5, none: 3 });
    expect(await world.stateOf(C)).toBe('completed');
  });

  it('names what lives on, and whose worker may still be at it', async () => {
    const { P, A, D } = await family();
    const { cancellationId } = await world.cancel(P);
    const before = await certificate(cancellationId);
    expect(before.survivors).toEqual([D]);
    expect(before.unconfirmed).toContain(A);
    await world.ledger.commands.transition(worker, D, { to: 'completed' });
    expect((await certificate(cancellationId)).survivors).toEqual([]);
  });

  it('is running, with its root, before anybody has carried it on', async () => {
    const root = await world.ledger.commands.create(alice, {});
    const { cancellationId } = await world.ledger.commands.cancel(alice, root.task.taskId, {});
    const found = await certificate(cancellationId);
    expect(found.nodes).toMatchObject([
      { taskId: root.task.taskId, depth: 0, outcome: 'canceled', worker: 'none' },
    ]);
    expect(found.counts.canceled).toBe(1);
  });

  it('waits for a root that was asked, and says until when', async () => {
    const root = await world.working();
    const { cancellationId, task } = await world.cancel(root, { mode: 'cooperative', graceMs: 60_000 });
    const found = await certificate(cancellationId);
    expect(found).toMatchObject({ status: 'running', mode: 'cooperative', survivors: [root] });
    expect(found.nodes).toMatchObject([
      { taskId: root, outcome: 'waiting', dueAt: task.openCancellation?.dueAt, worker: 'unnotified' },
    ]);
    expect(found.counts.canceled).toBe(0);
  });

  it('counts a root that finished inside its grace as a lost race', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    await world.ledger.commands.transition(worker, root, { to: 'completed' });
    await world.carried();
    expect((await certificate(cancellationId)).counts.lostRace).toBe(1);
  });

  it('is seen by whoever may see its root, and looks absent to everybody else', async () => {
    const root = await world.task();
    const { cancellationId } = await world.cancel(root);
    for (const caller of [alice, worker, operator])
      expect((await certificate(cancellationId, caller)).cancellationId).toBe(cancellationId);
    const absent = await refusalOf(certificate('no-such-cancellation'));
    for (const caller of [mallory, stranger])
      expect(await refusalOf(certificate(cancellationId, caller))).toEqual({ ...absent, cancellationId });
  });

  it('comes page by page, complete and in order, with complete counts on each', async () => {
    const root = await world.task();
    for (let made = 0; made < 50; made += 1)
      await Promise.all(Array.from({ length: 21 }, () => world.task(root)));
    const { cancellationId } = await world.cancel(root);
    const first = await certificate(cancellationId);
    expect(first.nodes).toHaveLength(1_000);
    expect(first.nextNodes).toBe(first.nodes.at(-1)?.taskId);
    const second = await world.ledger.cancellations.get(alice, cancellationId, {
      nodesAfter: first.nextNodes ?? '',
    });
    expect(second.nodes).toHaveLength(51);
    expect(second.nextNodes).toBeUndefined();
    expect(second.counts).toEqual(first.counts);
    expect(first.counts.canceled).toBe(1_051);
    const below = [...first.nodes, ...second.nodes].slice(1).map(({ taskId }) => taskId);
    expect(below).toEqual([...new Set(below)].sort());
    expect(
      await refusalOf(world.ledger.cancellations.get(alice, cancellationId, { nodesAfter: 'nobody' })),
    ).toMatchObject({ code: 'invalid-request', field: 'nodesAfter' });
  });

  it('of a parent’s end is by the ledger, and names the rule', async () => {
    const parent = await world.working();
    const child = await world.working(parent, { onEnd: 'cascade' });
    await world.ledger.commands.transition(worker, parent, { to: 'failed' });
    await world.carried();
    const { cancellationId } = (await world.ledger.cascade.task(child)) ?? {};
    const found = await certificate(cancellationId ?? '');
    expect(found).toMatchObject({
      parentEnded: true,
      requestedBy: { principal: 'system', role: 'system', via: 'system' },
      reason: 'onEnd: cascade, the parent ended: failed',
    });
    expect(found.nodes).toMatchObject([
      { taskId: parent, outcome: 'alreadyTerminal' },
      { taskId: child, outcome: 'canceled', policy: 'cascade' },
    ]);
  });
});

describe('a wait for a certificate', () => {
  it('ends when everything is settled, and is over with the time when it is not', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    const { cancellations, commands } = world.ledger;
    await cancellations.wait(alice, cancellationId, 'settled', { timeoutMs: 1 });
    expect((await certificate(cancellationId)).status).toBe('running');
    const waited = cancellations.wait(alice, cancellationId, 'settled', { timeoutMs: 60_000 });
    await commands.transition(worker, root, { to: 'canceled' });
    await waited;
    expect((await certificate(cancellationId)).status).toBe('confirmed');
  });

  it('for confirmation ends with the last acknowledgement', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root);
    const waited = world.ledger.cancellations.wait(alice, cancellationId, 'confirmed', { timeoutMs: 60_000 });
    await world.ledger.commands.acknowledge(worker, root, {});
    await waited;
    expect((await certificate(cancellationId)).unconfirmed).toEqual([]);
  });

  it('is over with the signal, and refused to whoever may not see it', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    const { cancellations } = world.ledger;
    const gone = AbortSignal.abort();
    await cancellations.wait(alice, cancellationId, 'settled', { timeoutMs: 60_000, signal: gone });
    const foreign = cancellations.wait(mallory, cancellationId, 'settled', { timeoutMs: 60_000 });
    expect(await refusalOf(foreign)).toMatchObject({ code: 'cancellation-not-found' });
  });
});

describe('C33 of any task below', () => {
  it('the root, the path, who asked, how, why, and the outcome can be told', async () => {
    const { P, A, A1, A2 } = await family();
    const al2 = { ...alice, requestId: 'req-7' };
    const asked = { reason: 'budget exceeded', metadata: { ticket: 'OPS-7' } };
    const { cancellationId } = await world.ledger.commands.cancel(al2, P, asked);
    await world.ledger.commands.cancel(operator, P, {});
    await world.carried();
    const [told, ...others] = await world.ledger.cancellations.ofTask(alice, A2);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      cancellationId,
      rootTaskId: P,
      path: [P, A, A1, A2],
      outcome: 'canceled',
      policy: 'cascade',
      requestedBy: { principal: 'alice', role: 'user', via: 'a2a-jsonrpc', requestId: 'req-7' },
      reason: 'budget exceeded',
      metadata: { ticket: 'OPS-7' },
      repeats: [{ by: { principal: 'olga', role: 'operator' } }],
    });
    expect(await typesIn(store, `ledger.task-${P}`)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'ChildLinked',
      'ChildLinked',
      'ChildLinked',
      'ChildLinked',
      'TaskCanceled',
    ]);
  });

  it('an abandoned task is told that it was left alone; nothing is told below it', async () => {
    const root = await world.working();
    const left = await world.working(root, { policy: 'abandon' });
    const below = await world.working(left);
    await world.cancel(root);
    const { cancellations } = world.ledger;
    expect(await cancellations.ofTask(alice, left)).toMatchObject([
      { outcome: 'abandoned', path: [root, left] },
    ]);
    expect(await cancellations.ofTask(alice, below)).toEqual([]);
  });

  it('several cancellations stand in their order, each with its own outcome', async () => {
    const root = await world.working();
    const child = await world.working(root);
    const first = await world.cancel(child);
    const second = await world.cancel(root);
    expect(await world.ledger.cancellations.ofTask(alice, child)).toMatchObject([
      { cancellationId: first.cancellationId, outcome: 'canceled', path: [child] },
      {
        cancellationId: second.cancellationId,
        outcome: 'alreadyTerminal',
        by: first.cancellationId,
        path: [root, child],
      },
    ]);
  });

  it('a cancellation that has not come to it yet is waited for', async () => {
    const root = await world.working();
    const child = await world.working(root);
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative' });
    expect(await world.ledger.cancellations.ofTask(alice, child)).toMatchObject([
      { cancellationId, outcome: 'waiting', path: [root, child] },
    ]);
  });

  it('a cancellation of the descendants does not come to what was linked under its root after it', async () => {
    const root = await world.working();
    const asked = await world.working(root, { policy: 'cooperative' });
    const { cancellationId } = await world.cancel(root, { descendantsOnly: true });
    const [after, below] = [await world.working(root), await world.working(asked)];
    await world.ledger.commands.transition(worker, root, { to: 'completed' });
    await world.carried();
    const { cancellations } = world.ledger;
    expect(await cancellations.ofTask(alice, after)).toEqual([]);
    for (const waiting of [asked, below])
      expect(await cancellations.ofTask(alice, waiting)).toMatchObject([
        { cancellationId, outcome: 'waiting' },
      ]);
  });

  it('a cancellation of the descendants, and of a parent’s end, is found from below', async () => {
    const root = await world.working();
    const child = await world.working(root, { onEnd: 'cascade' });
    const below = await world.working(child, { onEnd: 'cascade' });
    await world.ledger.commands.transition(worker, root, { to: 'completed' });
    await world.carried();
    const again = await world.cancel(root, { descendantsOnly: true });
    const told = await world.ledger.cancellations.ofTask(alice, below);
    expect(told).toMatchObject([
      {
        outcome: 'canceled',
        requestedBy: { principal: 'system' },
        path: [root, child, below],
        policy: 'cascade',
      },
      {
        cancellationId: again.cancellationId,
        outcome: 'alreadyTerminal',
        requestedBy: { principal: 'alice' },
      },
    ]);
  });

  it('what may not be seen looks absent', async () => {
    const root = await world.task();
    await world.cancel(root);
    expect(await refusalOf(world.ledger.cancellations.ofTask(mallory, root))).toMatchObject({
      code: 'task-not-found',
    });
  });
});

describe('why a task is as it is', () => {
  const why = async (taskId: string) =>
    (await world.ledger.reader.why(alice, taskId)).map(({ stream, type }) => `${type} ${stream}`);

  it('C33 leads from a canceled task up to the request', async () => {
    const { P, A, A1 } = await family();
    const { cancellationId } = await world.cancel(P, { reason: 'budget exceeded' });
    expect(await why(A1)).toEqual([
      `TaskCanceled ledger.task-${A1}`,
      `TaskCanceled ledger.task-${A}`,
      `TaskCanceled ledger.task-${P}`,
      `CancellationOpened ledger.cancellation-${cancellationId}`,
    ]);
    const steps = await world.ledger.reader.why(alice, A1);
    expect(steps.at(-1)).toMatchObject({ principal: 'alice', via: 'a2a-jsonrpc', reason: 'budget exceeded' });
  });

  it('goes through a task that had finished before', async () => {
    const { P, C1 } = await family();
    const { cancellationId } = await world.cancel(P);
    expect(await why(C1)).toEqual([
      `TaskCanceled ledger.task-${C1}`,
      `TaskCanceled ledger.task-${P}`,
      `CancellationOpened ledger.cancellation-${cancellationId}`,
    ]);
  });

  it('of one that was forced shows that it had been asked', async () => {
    const root = await world.working();
    const { cancellationId } = await world.cancel(root, { mode: 'cooperative', graceMs: 1_000 });
    world.clock.move(2_000);
    await world.ledger.cascade.fire(root, { kind: 'request', cancellationId });
    expect(await why(root)).toEqual([
      `TaskCanceled ledger.task-${root}`,
      `CancellationRequested ledger.task-${root}`,
      `CancellationOpened ledger.cancellation-${cancellationId}`,
    ]);
  });

  it('of an orphan leads over its parent’s end to the first request', async () => {
    const parent = await world.working();
    const child = await world.working(parent, { onEnd: 'cascade' });
    await world.ledger.commands.transition(worker, parent, { to: 'completed' });
    await world.carried();
    const { cancellationId } = (await world.ledger.cascade.task(child)) ?? {};
    expect(await why(child)).toEqual([
      `TaskStopped ledger.task-${child}`,
      `CancellationOpened ledger.cancellation-${cancellationId ?? ''}`,
      `TaskCompleted ledger.task-${parent}`,
      `TaskSubmitted ledger.task-${parent}`,
    ]);
  });

  it('of a task that was late names the deadline, and who set it', async () => {
    const deadline = new Date(world.clock.now() + 60_000).toISOString();
    const { task } = await world.ledger.commands.create(alice, { deadline });
    world.clock.move(120_000);
    await world.ledger.cascade.fire(task.taskId, { kind: 'deadline' });
    expect(await world.ledger.reader.why(alice, task.taskId)).toMatchObject([
      {
        type: 'TaskStopped',
        principal: 'system',
        reason: `the deadline of the task has passed: ${deadline}`,
      },
      { type: 'TaskSubmitted', principal: 'alice' },
    ]);
  });
});
