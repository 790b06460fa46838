import { setImmediate as nextTurn } from 'node:timers/promises';
import { callsInFlightMax } from '../src/runner/runner.js';
import { Hands, World } from './given.js';
import { LogView } from './log-view.js';
import { CountsInFlight } from './stores.js';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const canceled = async (id: string, tasks: number): Promise<LogView> => {
  const log = await LogView.of(world.store);
  expect(log.cancellation(id)).toMatchObject({
    wasSettled: true,
    waitingCount: 0,
    counts: { canceled: tasks },
  });
  expect(log.events.filter(({ type }) => type === 'TaskCanceled')).toHaveLength(tasks);
  return log;
};

describe('C28 a large family', () => {
  it('2,000 children: bounded work in flight, few appends to the certificate', async () => {
    const maker = await world.start(world.store, { started: false });
    const hands = new Hands(maker.ledger);
    const root = await hands.working();
    for (let count = 0; count < 2_000; count += 1) await hands.task(root);
    const id = await hands.cancel(root);
    await world.stop(maker);
    const store = new CountsInFlight(world.store);
    // Nothing is held in memory before: every task is read.
    const { saga } = await world.start(store, { ledger: { hotFoldsMiB: 0 } });
    await saga.idle();
    const log = await canceled(id, 2_001);
    expect(store.most).toBeGreaterThan(callsInFlightMax / 2);
    expect(store.most).toBeLessThanOrEqual(callsInFlightMax);
    expect(log.typesOf(id).filter((type) => type === 'NodesSettled').length).toBeLessThan(20);
  });

  it('a chain of 1,000, and others have their turn meanwhile', async () => {
    const process = await world.start();
    const hands = new Hands(process.ledger);
    const root = await hands.task();
    let parent = root;
    for (let depth = 1; depth < 1_000; depth += 1) parent = await hands.task(parent);
    await process.saga.idle();
    const id = await hands.cancel(root);
    let turns = 0;
    let isDone = false;
    const idle = process.saga.idle().then(() => (isDone = true));
    while (!isDone) {
      await nextTurn();
      await hands.working();
      turns += 1;
    }
    await idle;
    await canceled(id, 1_000);
    expect(turns).toBeGreaterThan(10);
  });
});
