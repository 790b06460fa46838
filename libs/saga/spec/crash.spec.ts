import { Hands, World, type Process } from './given.js';
import { LogView } from './log-view.js';
import { brokenPromises } from './promises.js';
import { MemorySagaState } from './memory-saga-state.js';
import { DiesAfter } from './stores.js';

/** A tree with every kind of branch whose root has been canceled, and no saga yet. */
const canceledTree = async () => {
  const world = new World();
  const process = await world.start(world.store, { started: false });
  const hands = new Hands(process.ledger);
  const root = await hands.working();
  const a = await hands.working(root);
  const a1 = await hands.working(a, { policy: 'cooperative' });
  const a2 = await hands.working(a1);
  const b = await hands.working(root);
  for (let count = 0; count < 5; count += 1) await hands.working(b);
  const c = await hands.working(root);
  await hands.working(c);
  await hands.move(c, 'completed');
  const d = await hands.working(root, { policy: 'abandon' });
  await hands.working(d);
  const id = await hands.cancel(root);
  const late = await hands.task(root);
  await world.stop(process);
  return { world, id, asked: a1, below: a2, late };
};

/** Until nothing happens, or until the process is gone. */
const livedOn = async ({ saga }: Process, store: DiesAfter): Promise<boolean> =>
  Promise.race([saga.idle().then(() => true), store.died.then(() => false)]);

/** The agent that is asked stops; its child is canceled then. */
const finished = async (process: Process, asked: string): Promise<void> => {
  await process.saga.idle();
  await new Hands(process.ledger).move(asked, 'canceled');
  await process.saga.idle();
};

describe('C30 a process that dies in the middle of a cascade', () => {
  it('is followed by one that completes it, after whatever append it died', async () => {
    const { world, id, asked, below, late } = await canceledTree();
    const undisturbed = await world.copy();
    await finished(await undisturbed.start(), asked);
    const expected = await LogView.of(undisturbed.store);
    expect(expected.cancellation(id).status).toBe('settled');
    expect(expected.task(below).state).toBe('canceled');
    expect(expected.outcomes(id)).toMatchObject({ [late]: 'canceled' });
    for (let appends = 0, survived = false; !survived; appends += 1) {
      const other = await world.copy();
      const store = new DiesAfter(other.store, appends);
      const first = await other.start(store);
      survived = await livedOn(first, store);
      await other.stop(first);
      await finished(await other.start(), asked);
      const log = await LogView.of(other.store);
      expect(log.lines(id)).toEqual(expected.lines(id));
      expect(brokenPromises(log)).toEqual([]);
      expect(log.events.filter(({ type }) => type === 'TaskCanceled')).toHaveLength(
        expected.events.filter(({ type }) => type === 'TaskCanceled').length,
      );
      expect(await other.appendsOfReplay()).toBe(0);
      await other.close();
      if (survived) expect(appends).toBeGreaterThan(10);
    }
    await undisturbed.close();
    await world.close();
  });
});

describe('two sagas at once', () => {
  it.each([
    ['each with a state of its own', () => new MemorySagaState()],
    ['with one state for both', undefined],
  ])('%s do together what one does', async (_, ownState) => {
    const { world, id, asked } = await canceledTree();
    const undisturbed = await world.copy();
    await finished(await undisturbed.start(), asked);
    const expected = await LogView.of(undisturbed.store);
    const state = ownState?.();
    const ledger = { soleWriter: false };
    const one = await world.start(world.store, { ledger });
    const other = await world.start(world.store, { ledger, saga: state ? { state } : {} });
    await Promise.all([finished(one, asked), other.saga.idle()]);
    await Promise.all([one.saga.idle(), other.saga.idle()]);
    const log = await LogView.of(world.store);
    expect(log.lines(id)).toEqual(expected.lines(id));
    expect(new Set(log.events.map((event) => event.id)).size).toBe(log.events.length);
    expect(brokenPromises(log)).toEqual([]);
    await world.stop(one);
    await world.stop(other);
    expect(world.state.checkpoint).toMatchObject({ open: [] });
    expect(await world.appendsOfReplay()).toBe(0);
    await world.close();
    await undisturbed.close();
  });
});
