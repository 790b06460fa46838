import { scopeOfEnd } from '#domain';
import { Hands, World, type Process } from './given.js';
import { LogView } from './log-view.js';
import { brokenPromises } from './promises.js';

let world: World;
let process: Process;
let hands: Hands;

beforeEach(async () => {
  world = new World();
  process = await world.start();
  hands = new Hands(process.ledger);
});
afterEach(() => world.close());

const settled = async (): Promise<LogView> => {
  await process.saga.idle();
  return LogView.of(world.store);
};

describe('C26 cancel stops the tree', () => {
  const tree = async () => {
    const root = await hands.working();
    const a = await hands.working(root);
    const a1 = await hands.working(a);
    const a2 = await hands.task(a1);
    const b = await hands.working(root);
    const many = await Promise.all(Array.from({ length: 20 }, () => hands.working(b)));
    const c = await hands.working(root);
    const c1 = await hands.working(c);
    await hands.move(c, 'completed');
    const d = await hands.working(root, { policy: 'abandon' });
    const d1 = await hands.working(d);
    return { root, stopped: [root, a, a1, a2, b, ...many, c1], a, a1, a2, c, d, d1 };
  };

  it('every task below it that is not shielded, and no other', async () => {
    const { root, stopped, c, d, d1 } = await tree();
    const id = await hands.cancel(root, { reason: 'budget exceeded' });
    const log = await settled();
    for (const taskId of stopped)
      expect(log.task(taskId)).toMatchObject({ state: 'canceled', cancellationId: id });
    expect(await hands.states(c, d, d1)).toEqual(['completed', 'working', 'working']);
    expect(log.outcomes(id)).toEqual({
      ...Object.fromEntries(stopped.map((taskId) => [taskId, 'canceled'])),
      [c]: 'alreadyTerminal',
      [d]: 'abandoned',
    });
    expect(log.cancellation(id)).toMatchObject({ status: 'settled', nodeCount: stopped.length + 2 });
    expect(process.saga.status).toMatchObject({ open: 0, inFlight: 0 });
  });

  it('each line says how the cancellation came there', async () => {
    const { root, a, a1, a2 } = await tree();
    const id = await hands.cancel(root);
    const log = await settled();
    expect(log.line(id, root)?.node).toMatchObject({ depth: 0, worker: 'unnotified' });
    expect(log.line(id, a1)?.node).toMatchObject({ depth: 2, parentTaskId: a, policy: 'cascade' });
    expect(log.line(id, a2)?.node).toMatchObject({ depth: 3, parentTaskId: a1, worker: 'none' });
  });

  it('each event below names the one that ended the task above, and the request of the root', async () => {
    const { root, a, a1 } = await tree();
    const id = await hands.cancel(root, { reason: 'budget exceeded' });
    const log = await settled();
    const metadata = log.metadataOfEnd(a1);
    expect(metadata).toMatchObject({ principal: 'system', via: 'system', owner: 'alice' });
    expect(metadata).toMatchObject({
      $causationId: log.task(a).end?.eventId,
      $correlationId: id,
    });
    expect(log.task(a1)).toMatchObject({
      stoppedBy: 'parent',
      end: { request: { requestedBy: { principal: 'alice' } } },
    });
  });

  it('the root alone where it was asked so', async () => {
    const { root, a, a1 } = await tree();
    const id = await hands.cancel(root, { cascade: false });
    const log = await settled();
    expect(await hands.states(root, a, a1)).toEqual(['canceled', 'working', 'working']);
    expect(log.outcomes(id)).toEqual({ [root]: 'canceled' });
    expect(log.cancellation(id).status).toBe('settled');
  });
});

describe('C51 what is below a task, and not the task', () => {
  it('also below one that has ended, and nothing that is linked later', async () => {
    const root = await hands.working();
    const child = await hands.working(root);
    const grandchild = await hands.working(child);
    await hands.cancel(root, { cascade: false });
    await process.saga.idle();
    const id = await hands.cancel(root, { descendantsOnly: true });
    const log = await settled();
    expect(log.outcomes(id)).toEqual({ [child]: 'canceled', [grandchild]: 'canceled' });
    expect(log.cancellation(id).status).toBe('settled');
    expect(log.lates.get(root)?.notedCancellationIds).toEqual([id]);
  });

  it('of an open task, what is linked before', async () => {
    const root = await hands.working();
    const before = await Promise.all(Array.from({ length: 40 }, () => hands.task(root)));
    const id = await hands.cancel(root, { descendantsOnly: true });
    const after = await hands.task(root);
    const log = await settled();
    expect(Object.keys(log.outcomes(id)).sort()).toEqual(before.sort());
    expect(await hands.states(root, after)).toEqual(['working', 'submitted']);
  });
});

describe('a task that is asked', () => {
  const asked = async () => {
    const root = await hands.working();
    const child = await hands.working(root, { policy: 'cooperative', graceMs: 5_000 });
    const grandchild = await hands.working(child);
    const id = await hands.cancel(root);
    await process.saga.idle();
    return { root, child, grandchild, id };
  };

  it('is waited for, and nothing below it is touched', async () => {
    const { child, grandchild, id } = await asked();
    const log = await LogView.of(world.store);
    expect(await hands.states(child, grandchild)).toEqual(['working', 'working']);
    expect(log.task(child).openCancellation).toMatchObject({ cancellationId: id });
    expect(log.line(id, child)).toMatchObject({
      kind: 'waiting',
      node: { dueAt: log.task(child).openCancellation?.dueAt },
    });
    expect(log.cancellation(id)).toMatchObject({ status: 'running', waitingCount: 1 });
    expect(process.saga.status.open).toBe(1);
  });

  it.each([
    ['completes', 'completed', 'lostRace'],
    ['says that it has stopped', 'canceled', 'canceled'],
  ] as const)('that %s lets the cancellation on', async (_, to, outcome) => {
    const { root, child, grandchild, id } = await asked();
    await hands.move(child, to);
    const log = await settled();
    expect(log.outcomes(id)).toEqual({ [root]: 'canceled', [child]: outcome, [grandchild]: 'canceled' });
    expect(log.cancellation(id).status).toBe('settled');
    expect(process.saga.status.open).toBe(0);
  });

  it('is forced when its time is over', async () => {
    const { child, grandchild, id } = await asked();
    world.clock.move(5_000);
    await process.ledger.cascade.fire(child, { kind: 'request', cancellationId: id });
    const log = await settled();
    expect(log.outcomes(id)).toMatchObject({ [child]: 'forced', [grandchild]: 'canceled' });
  });

  it('that declines shields what is below it', async () => {
    const { child, grandchild, id } = await asked();
    await hands.decline(child);
    const log = await settled();
    expect(log.outcomes(id)).toMatchObject({ [child]: 'refused' });
    expect(log.cancellation(id)).toMatchObject({ status: 'settled', nodeCount: 2 });
    expect(await hands.states(child, grandchild)).toEqual(['working', 'working']);
  });

  it('as the root is waited for as well', async () => {
    const root = await hands.working();
    const child = await hands.working(root);
    const id = await hands.cancel(root, { mode: 'cooperative' });
    await process.saga.idle();
    expect(await hands.states(child)).toEqual(['working']);
    await hands.move(root, 'canceled');
    const log = await settled();
    expect(log.outcomes(id)).toEqual({ [root]: 'canceled', [child]: 'canceled' });
  });

  it('by another cancellation is asked anew when it has declined that one', async () => {
    const root = await hands.working();
    const child = await hands.working(root, { policy: 'cooperative' });
    const first = await hands.cancel(child, { mode: 'cooperative' });
    const second = await hands.cancel(root);
    await process.saga.idle();
    expect((await hands.read(child)).openCancellation?.cancellationId).toBe(first);
    await hands.decline(child);
    await process.saga.idle();
    expect((await hands.read(child)).openCancellation?.cancellationId).toBe(second);
    await hands.move(child, 'canceled');
    const log = await settled();
    expect(log.outcomes(first)).toEqual({ [child]: 'refused' });
    expect(log.outcomes(second)).toEqual({ [root]: 'canceled', [child]: 'canceled' });
  });

  it('one of many, each on its own', async () => {
    const root = await hands.working();
    const children = await Promise.all(
      Array.from({ length: 30 }, () => hands.working(root, { policy: 'cooperative' })),
    );
    const id = await hands.cancel(root);
    await process.saga.idle();
    for (const child of children) await hands.move(child, 'canceled');
    const log = await settled();
    expect(log.cancellation(id)).toMatchObject({ status: 'settled', nodeCount: 31, waitingCount: 0 });
  });
});

describe('a parent that ends in another way', () => {
  it.each(['completed', 'failed'] as const)('%s, and takes with it what is to end with it', async (to) => {
    const parent = await hands.working();
    const ends = await hands.working(parent, { onEnd: 'cascade' });
    const below = await hands.working(ends, { onEnd: 'cascade' });
    const stays = await hands.working(parent);
    await hands.move(parent, to);
    const log = await settled();
    const end = log.task(parent).end?.eventId ?? '';
    const id = process.ledger.cascade.parentEndId(parent, end);
    expect(await hands.states(ends, below, stays)).toEqual(['stopped', 'stopped', 'working']);
    expect(log.task(ends)).toMatchObject({ stoppedBy: 'orphaned', cancellationId: id });
    expect(log.outcomes(id)).toEqual({
      [parent]: 'alreadyTerminal',
      [ends]: 'canceled',
      [below]: 'canceled',
      [stays]: 'abandoned',
    });
    expect(log.cancellation(id)).toMatchObject({
      parentEnded: true,
      status: 'settled',
      reason: `onEnd: cascade, the parent ended: ${to}`,
    });
  });

  it('opens nothing where nobody is left who is to end with it', async () => {
    const parent = await hands.working();
    const child = await hands.working(parent, { onEnd: 'cascade' });
    await hands.move(child, 'completed');
    await hands.move(parent, 'completed');
    expect((await settled()).cancellations.size).toBe(0);
    expect(process.saga.status.open).toBe(0);
  });

  it('is answered to the end once that was begun, though nobody lives by then', async () => {
    const parent = await hands.working();
    const child = await hands.working(parent, { onEnd: 'cascade' });
    await hands.move(child, 'completed');
    await hands.move(parent, 'completed');
    await process.saga.idle();
    const { cascade } = process.ledger;
    const { end } = await hands.read(parent);
    const found = await cascade.event(cascade.names.task(parent), end?.revision ?? 0);
    const id = cascade.parentEndId(parent, end?.eventId ?? '');
    const begin = {
      position: found?.recorded.position ?? '',
      eventId: end?.eventId ?? '',
      at: end?.at ?? '',
    };
    // Another saga had found the child alive, and its opening comes only now.
    await cascade.open(scopeOfEnd(await hands.read(parent), id, begin));
    const log = await settled();
    expect(log.outcomes(id)).toEqual({ [parent]: 'alreadyTerminal', [child]: 'alreadyTerminal' });
    expect(log.cancellation(id).wasSettled).toBe(true);
    expect(brokenPromises(log)).toEqual([]);
    expect(await world.appendsOfReplay()).toBe(0);
  });

  it('opens nothing where it was canceled: the policy alone counts', async () => {
    const parent = await hands.working();
    const child = await hands.working(parent, { onEnd: 'cascade', policy: 'abandon' });
    const id = await hands.cancel(parent);
    const log = await settled();
    expect([...log.cancellations.keys()]).toEqual([id]);
    expect(await hands.states(child)).toEqual(['working']);
  });
});

describe('C27 a child that comes late', () => {
  it('is born canceled, and has its line in a certificate that was settled', async () => {
    const root = await hands.working();
    const parent = await hands.working(root);
    const id = await hands.cancel(root);
    expect((await settled()).cancellation(id).status).toBe('settled');
    const late = await hands.task(parent);
    const log = await settled();
    expect(log.task(late)).toMatchObject({ state: 'canceled', cancellationId: id });
    expect(log.line(id, late)?.node).toMatchObject({ outcome: 'canceled', late: true, depth: 2 });
    expect(log.cancellation(id)).toMatchObject({ status: 'settled', nodeCount: 3 });
    expect(log.typesOf(id).filter((type) => type === 'CancellationSettled')).toHaveLength(2);
  });

  it('belongs to every cancellation that has passed its parent', async () => {
    const root = await hands.working();
    const middle = await hands.working(root);
    const parent = await hands.working(middle);
    const first = await hands.cancel(middle);
    const second = await hands.cancel(root);
    await process.saga.idle();
    const third = await hands.cancel(root, { descendantsOnly: true });
    await process.saga.idle();
    const late = await hands.task(parent);
    const log = await settled();
    expect(log.outcomes(first)).toMatchObject({ [late]: 'canceled' });
    expect(log.outcomes(second)).toMatchObject({ [late]: 'alreadyTerminal' });
    expect(log.outcomes(third)).toMatchObject({ [late]: 'alreadyTerminal' });
    expect(log.line(second, late)?.node).toMatchObject({ by: first, late: true });
    expect(brokenPromises(log)).toEqual([]);
  });

  it('below a parent that took others with it, ends as they did', async () => {
    const parent = await hands.working();
    const first = await hands.working(parent, { onEnd: 'cascade' });
    const late = await hands.working();
    const link = await world.heldLink(parent, late, { onEnd: 'cascade' });
    await hands.move(parent, 'completed');
    await process.saga.idle();
    await link();
    const log = await settled();
    const id = log.task(first).cancellationId ?? '';
    expect(log.task(late)).toMatchObject({ state: 'stopped', cancellationId: id });
    expect(log.line(id, late)?.node).toMatchObject({ outcome: 'canceled', late: true });
    expect(log.cancellation(id).status).toBe('settled');
  });

  it('may be the first who is to end with its parent', async () => {
    const parent = await hands.working();
    await hands.working(parent);
    const late = await hands.working();
    const link = await world.heldLink(parent, late, { onEnd: 'cascade' });
    await hands.move(parent, 'completed');
    await process.saga.idle();
    await link();
    const log = await settled();
    expect(log.task(late)).toMatchObject({ state: 'stopped', stoppedBy: 'orphaned' });
    expect(log.cancellation(log.task(late).cancellationId ?? '')).toMatchObject({
      status: 'settled',
      nodeCount: 3,
    });
  });
});

describe('a link that was left half made', () => {
  it('is announced to the parent', async () => {
    const parent = await hands.working();
    const child = await world.halfLinked(parent);
    const log = await settled();
    expect(log.children(parent)).toEqual([child]);
    expect(process.saga.status.open).toBe(0);
  });

  it('beside the parent, where that has ended; and the child is canceled with it', async () => {
    const parent = await hands.working();
    const child = await world.halfLinked(parent, async () => {
      await hands.cancel(parent);
    });
    const log = await settled();
    expect(log.lates.get(parent)?.childCount).toBe(1);
    expect(log.task(child)).toMatchObject({
      state: 'canceled',
      cancellationId: log.task(parent).cancellationId,
    });
  });
});
