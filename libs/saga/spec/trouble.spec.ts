import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '#event-store';
import { bound, Hands, World } from './given.js';
import { LogView } from './log-view.js';
import { brokenPromises } from './promises.js';
import { BeforeAppend, Garbles } from './stores.js';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const family = async (then?: (hands: Hands, taskId: string) => Promise<void>) => {
  const process = await world.start(world.store, { started: false });
  const hands = new Hands(process.ledger);
  const root = await hands.working();
  const sick = await hands.working(root);
  const below = await hands.working(sick);
  await then?.(hands, sick);
  const healthy = await Promise.all([hands.working(root), hands.working(root)]);
  const id = await hands.cancel(root);
  await world.stop(process);
  return { root, sick, below, healthy, id };
};

describe('a task that cannot be written', () => {
  it('is tried again, and its line says how often', async () => {
    const { sick, id } = await family();
    let failures = 2;
    const store = new BeforeAppend(world.store, async (stream) => {
      if (!stream.endsWith(sick) || failures === 0) return;
      failures -= 1;
      throw new StoreUnavailableError('not now');
    });
    const { saga } = await world.start(store);
    await saga.idle();
    const log = await LogView.of(world.store);
    expect(log.line(id, sick)?.node).toMatchObject({ outcome: 'canceled', attempts: 3 });
    expect(log.cancellation(id).status).toBe('settled');
  });

  it('keeps no other from its end, and the certificate from being settled', async () => {
    const { sick, below, healthy, id } = await family();
    let isSick = true;
    let tried: () => void = () => undefined;
    const triedTwice = new Promise<void>((resolve) => (tried = resolve));
    let tries = 0;
    const store = new BeforeAppend(world.store, async (stream) => {
      if (!stream.endsWith(sick) || !isSick) return;
      tries += 1;
      if (tries === 2) tried();
      throw new StoreUnavailableError('not now');
    });
    const { saga, ledger } = await world.start(store);
    await triedTwice;
    const hands = new Hands(ledger);
    expect(await hands.states(...healthy, sick, below)).toEqual([
      'canceled',
      'canceled',
      'working',
      'working',
    ]);
    expect((await LogView.of(world.store)).cancellation(id).status).toBe('running');
    isSick = false;
    await saga.idle();
    expect(await hands.states(sick, below)).toEqual(['canceled', 'canceled']);
    expect((await LogView.of(world.store)).cancellation(id).status).toBe('settled');
  });

  it('does not hold up the close', async () => {
    const { sick } = await family();
    let tried: () => void = () => undefined;
    const triedOnce = new Promise<void>((resolve) => (tried = resolve));
    const store = new BeforeAppend(world.store, async (stream) => {
      if (!stream.endsWith(sick)) return;
      tried();
      throw new StoreUnavailableError('not now');
    });
    const process = await world.start(store);
    await triedOnce;
    await world.stop(process);
    expect(world.state.checkpoint?.open).toHaveLength(1);
  });
});

describe('C43 a task that cannot be read', () => {
  /** A process that cannot read this task from its n-th event on; and what it leaves behind. */
  const unread = async (taskId: string, from: number): Promise<LogView> => {
    const store = new Garbles(
      world.store,
      ({ stream, revision }) => stream === `ledger.task-${taskId}` && revision >= from,
    );
    const process = await world.start(store);
    await process.saga.idle();
    await world.stop(process);
    expect(world.state.checkpoint?.open).not.toHaveLength(0);
    return LogView.of(world.store);
  };

  it('is a survivor whose links are followed, and is reached by a start that can read it', async () => {
    const { sick, below, id } = await family(async (hands, taskId) => {
      await hands.say(taskId);
    });
    const log = await unread(sick, 3);
    expect(log.line(id, sick)?.node).toMatchObject({ outcome: 'unreachable', lastError: 'task-unreadable' });
    expect(log.outcomes(id)).toMatchObject({ [below]: 'canceled' });
    expect(log.cancellation(id)).toMatchObject({ status: 'settled', counts: { unreachable: 1 } });
    const { saga } = await world.start();
    await saga.idle();
    const after = await LogView.of(world.store);
    expect(after.outcomes(id)).toMatchObject({ [sick]: 'canceled', [below]: 'canceled' });
    expect(after.cancellation(id)).toMatchObject({ status: 'settled', counts: { unreachable: 0 } });
    expect(saga.status.open).toBe(0);
  });

  /** A saga that cannot read the event before the task's end leaves one trigger open; the next one reads all. */
  const readAgain = async (root: string, child: string): Promise<void> => {
    const log = await LogView.of(world.store);
    const before = (log.tasks.get(root)?.revision ?? 0) - 1;
    const store = new Garbles(
      world.store,
      ({ stream, revision }) => stream === `ledger.task-${root}` && revision === before,
    );
    const blind = await world.start(store);
    await blind.saga.idle();
    await world.stop(blind);
    expect((await LogView.of(world.store)).tasks.get(child)?.state).toBe('working');
    expect(world.state.checkpoint?.open).toHaveLength(1);
    const { saga } = await world.start();
    await saga.idle();
    const after = await LogView.of(world.store);
    expect(after.tasks.get(child)).toMatchObject({ state: 'stopped', stoppedBy: 'orphaned' });
    expect(brokenPromises(after)).toEqual([]);
    expect(saga.status.open).toBe(0);
  };
  const endsWithIt = { policy: 'abandon', onEnd: 'cascade' } as const;

  it('and ends has its end answered by a start that can read it', async () => {
    const hands = new Hands((await world.start(world.store, { started: false })).ledger);
    const root = await hands.working();
    const child = await hands.working(root, endsWithIt);
    await hands.say(root);
    await hands.move(root, 'completed');
    await readAgain(root, child);
  });

  it('and ended before a link came late has its end answered by a start that can read it', async () => {
    const hands = new Hands((await world.start(world.store, { started: false })).ledger);
    const root = await hands.working();
    const child = await hands.working();
    const link = await world.heldLink(root, child, endsWithIt);
    await hands.say(root);
    await hands.move(root, 'completed');
    await link();
    await readAgain(root, child);
  });

  it('that takes no link has it announced by a start that can read it', async () => {
    const { sick, below, id } = await family();
    const log = await unread(sick, 2);
    expect(log.outcomes(id)).not.toHaveProperty(below);
    const { saga } = await world.start();
    await saga.idle();
    const after = await LogView.of(world.store);
    expect(after.outcomes(id)).toMatchObject({ [sick]: 'canceled', [below]: 'canceled' });
    expect(brokenPromises(after)).toEqual([]);
    expect(saga.status.open).toBe(0);
  });
});

describe('C38 a log that goes away', () => {
  it('is followed again from where the saga stood', async () => {
    const process = await world.start();
    const hands = new Hands(process.ledger);
    const root = await hands.working();
    const child = await hands.working(root);
    await process.saga.idle();
    world.store.faults.hold();
    await hands.cancel(root);
    expect(await hands.states(child)).toEqual(['working']);
    world.store.faults.release();
    await process.saga.idle();
    expect(await hands.states(child)).toEqual(['canceled']);
  });
});

describe('a task that ends while the saga is about to wait for it', () => {
  it('is not waited for, though its end was read before', async () => {
    const maker = await world.start(world.store, { started: false });
    const root = await new Hands(maker.ledger).working();
    const child = await new Hands(maker.ledger).working(root, { policy: 'cooperative' });
    const id = await new Hands(maker.ledger).cancel(root);
    const { cascade } = maker.ledger;
    const process = await world.start(world.store, {
      saga: {
        desk: {
          ...bound(cascade),
          carry: async (...given) => {
            const asked = await cascade.carry(...given);
            await new Hands(maker.ledger).move(child, 'completed');
            const head = (await world.store.head('ledger.')) ?? '';
            while (process.saga.status.position < head) await nextTurn();
            return asked;
          },
        },
      },
    });
    await process.saga.idle();
    const log = await LogView.of(world.store);
    expect(log.outcomes(id)).toEqual({ [root]: 'canceled', [child]: 'lostRace' });
    expect(log.cancellation(id).status).toBe('settled');
  });
});
