import { silentLogger } from '#application';
import { StoreInFront } from '#testing';
import type { RecordedEvent } from '#event-store';
import { completedMetrics } from '../src/telemetry.js';
import { LinkRepairs } from '../src/triggers/link-repairs.js';
import { Calls } from '../src/work/calls.js';
import { Slots } from '../src/work/slots.js';
import { StoppedError } from '../src/work/stopped-error.js';
import { Hands, World } from './given.js';

/** Longer than any test: whoever waits so long is told by what he sees, or never. */
const patienceMs = 600_000;

let world: World;
let stop: AbortController;
beforeEach(() => {
  world = new World();
  stop = new AbortController();
});
afterEach(() => world.close());

const opened = async () => {
  const store = new StoreInFront(world.store);
  const { ledger } = await world.start(store, { started: false });
  const { cascade: desk } = ledger;
  const calls = new Calls({
    slots: new Slots(8),
    signal: stop.signal,
    logger: silentLogger,
    metrics: completedMetrics(undefined),
  });
  const streamOf = (taskId: string): Promise<readonly RecordedEvent[]> =>
    store.readStream(desk.names.task(taskId), { limit: 100 });
  return { store, hands: new Hands(ledger), repairs: new LinkRepairs({ calls, desk, patienceMs }), streamOf };
};

/** A child, the event that names its parent, and the one that announces it there. */
const linked = async ({ hands, streamOf }: Awaited<ReturnType<typeof opened>>) => {
  const parent = await hands.working();
  const child = await hands.working(parent);
  const [born] = await streamOf(child);
  const announced = (await streamOf(parent)).find(({ type }) => type === 'ChildLinked');
  if (born === undefined || announced === undefined) throw new Error('there is no link');
  return { born, announced };
};

describe('a link that is expected', () => {
  it('is repaired by nobody when it is seen, for each who expects it', async () => {
    const given = await opened();
    const { born, announced } = await linked(given);
    const { appends } = given.store;
    const repaired = [given.repairs.repair(born), given.repairs.repair(born)];
    given.repairs.see(announced);
    expect(await Promise.all(repaired)).toEqual([true, true]);
    expect(given.store.appends).toBe(appends);
  });

  it('is waited for by nobody after the stop', async () => {
    const given = await opened();
    const { born } = await linked(given);
    const repaired = [given.repairs.repair(born), given.repairs.repair(born)];
    stop.abort();
    given.repairs.stop();
    for (const one of await Promise.allSettled(repaired))
      expect(one).toMatchObject({ status: 'rejected', reason: expect.any(StoppedError) as unknown });
  });

  it('is one of ten thousand', async () => {
    const given = await opened();
    const { born, announced } = await linked(given);
    const strangers = Array.from({ length: 10_000 }, (_, index) =>
      given.repairs.repair({ ...born, stream: `ledger.task-stranger-${String(index)}` }),
    );
    const mine = given.repairs.repair(born);
    given.repairs.see(announced);
    expect(await mine).toBe(true);
    stop.abort();
    given.repairs.stop();
    expect(new Set((await Promise.allSettled(strangers)).map(({ status }) => status))).toEqual(
      new Set(['rejected']),
    );
  });
});
