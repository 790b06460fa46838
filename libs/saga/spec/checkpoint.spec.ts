import { silentLogger, type LedgerLogger, type OpenTrigger } from '#application';
import type { SubscribeOptions } from '#event-store';
import { StoreInFront } from '#testing';
import { OpenSet } from '../src/runner/open-set.js';
import { Hands, World, type Process } from './given.js';
import { LogView } from './log-view.js';
import { MemorySagaState } from './memory-saga-state.js';
import { brokenPromises } from './promises.js';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

/** A cancellation that waits for one child, and a saga that has been stopped. */
const waiting = async () => {
  const process = await world.start();
  const hands = new Hands(process.ledger);
  const root = await hands.working();
  const child = await hands.working(root, { policy: 'cooperative' });
  const below = await hands.working(child);
  const id = await hands.cancel(root);
  await process.saga.idle();
  await world.stop(process);
  return { root, child, below, id };
};

/** Something happens while no saga runs. */
const meanwhile = async (deed: (hands: Hands) => Promise<void>): Promise<void> => {
  const process = await world.start(world.store, { started: false });
  await deed(new Hands(process.ledger));
  await world.stop(process);
};

/** Where subscriptions begin. The first one of a ledger is its own, before the saga is started. */
class Listens extends StoreInFront {
  readonly from: string[] = [];

  override subscribe(options: SubscribeOptions) {
    this.from.push(options.from);
    return super.subscribe(options);
  }
}

const settles = async ({ saga }: Process, id: string): Promise<void> => {
  await saga.idle();
  expect((await LogView.of(world.store)).cancellation(id).status).toBe('settled');
  expect(saga.status.open).toBe(0);
};

describe('the checkpoint', () => {
  it('moves on, while what is not completed stays open', async () => {
    const { root, id } = await waiting();
    const log = await LogView.of(world.store);
    const begun = log.scopes.get(id)?.begin;
    expect(world.state.checkpoint).toMatchObject({
      position: log.events.at(-1)?.position,
      eventId: log.events.at(-1)?.id,
      open: [{ position: begun?.position, stream: `ledger.task-${root}`, revision: 3 }],
    });
  });

  it('is where the next saga begins; what was open is taken up again', async () => {
    const { child, below, id } = await waiting();
    const position = world.state.checkpoint?.position;
    await meanwhile((hands) => hands.move(child, 'canceled'));
    const store = new Listens(world.store);
    const process = await world.start(store);
    await settles(process, id);
    expect(store.from.slice(1)).toEqual([position]);
    expect(await new Hands(process.ledger).states(below)).toEqual(['canceled']);
    await world.stop(process);
    expect(world.state.checkpoint?.open).toEqual([]);
  });

  it('hears of no trigger that was opened and closed between two saves', () => {
    const one: OpenTrigger = { position: '1', stream: 's', revision: 0 };
    const other: OpenTrigger = { position: '2', stream: 's', revision: 1 };
    const set = new OpenSet(['0']);
    set.add(one);
    set.add(other);
    set.remove(one.position);
    const first = set.changes();
    expect(first).toMatchObject({ opened: [other], closed: ['0'] });
    first.saved();
    set.remove(other.position);
    expect(set.changes()).toMatchObject({ opened: [], closed: ['2'] });
  });

  it('lost, is found again by reading everything, and nothing is appended', async () => {
    await waiting();
    world.state.checkpoint = undefined;
    const store = new StoreInFront(world.store);
    const process = await world.start(store);
    await process.saga.idle();
    expect(store.appends).toBe(0);
    expect(process.saga.status.open).toBe(1);
  });

  it.each([
    ['another log', { logId: 'elsewhere' }],
    ['a log that was put back from a backup', { eventId: 'another' }],
  ])('of %s is thrown away', async (_, other) => {
    const { child, id } = await waiting();
    const { checkpoint } = world.state;
    const foreign = { position: '00000000000000000003', stream: 'ledger.task-gone', revision: 7 };
    world.state.checkpoint = checkpoint && { ...checkpoint, ...other, open: [foreign] };
    const store = new Listens(world.store);
    const process = await world.start(store);
    await process.saga.idle();
    expect(store.from.slice(1)).toEqual(['start']);
    expect(store.appends).toBe(0);
    await new Hands(process.ledger).move(child, 'canceled');
    await settles(process, id);
    await world.stop(process);
    expect(world.state.checkpoint).toMatchObject({ logId: process.ledger.logId, open: [] });
  });

  it('drops what was open where its event is not in the log', async () => {
    const { child, id } = await waiting();
    const { checkpoint } = world.state;
    const gone = { position: '00000000000000000001', stream: 'ledger.task-gone', revision: 7 };
    world.state.checkpoint = checkpoint && { ...checkpoint, open: [gone, ...checkpoint.open] };
    const process = await world.start();
    await process.saga.idle();
    expect(process.saga.status.open).toBe(1);
    await new Hands(process.ledger).move(child, 'canceled');
    await settles(process, id);
    await world.stop(process);
    expect(world.state.checkpoint?.open).toEqual([]);
  });

  it('is moved on by one saga at a time: the other one starts over, and nothing is missing', async () => {
    let found: () => void = () => undefined;
    const overtaken = new Promise<void>((resolve) => (found = resolve));
    const logger: LedgerLogger = {
      ...silentLogger,
      warn: (_details, message) => {
        if (message.startsWith('another saga')) found();
      },
    };
    const parts = { saga: { logger }, ledger: { soleWriter: false } };
    const both = [await world.start(world.store, parts), await world.start(world.store, parts)] as const;
    const hands = new Hands(both[0].ledger);
    const root = await hands.working();
    const child = await hands.working(root, { policy: 'cooperative' });
    const below = await hands.working(child);
    const id = await hands.cancel(root);
    await overtaken;
    await hands.move(child, 'canceled');
    for (const { saga } of both) await saga.idle();
    const log = await LogView.of(world.store);
    expect(log.outcomes(id)).toEqual({ [root]: 'canceled', [child]: 'canceled', [below]: 'canceled' });
    expect(log.cancellation(id).status).toBe('settled');
    expect(brokenPromises(log)).toEqual([]);
    for (const process of both) await world.stop(process);
    expect(await world.appendsOfReplay()).toBe(0);
  });

  it('that cannot be saved keeps nobody from anything', async () => {
    const state = new MemorySagaState();
    const save = state.save.bind(state);
    state.save = () => Promise.reject(new Error('no space left'));
    const process = await world.start(world.store, { saga: { state } });
    const hands = new Hands(process.ledger);
    const root = await hands.working();
    const id = await hands.cancel(root);
    await settles(process, id);
    state.save = save;
    await world.stop(process);
    expect(state.checkpoint).toMatchObject({ position: process.saga.status.position, open: [] });
  });

  it('that cannot be read is waited for', async () => {
    const state = new MemorySagaState();
    const load = state.load.bind(state);
    state.load = () => {
      state.load = load;
      return Promise.reject(new Error('locked'));
    };
    const process = await world.start(world.store, { saga: { state } });
    const hands = new Hands(process.ledger);
    const id = await hands.cancel(await hands.working());
    await settles(process, id);
  });
});

describe('ordinary traffic', () => {
  it('costs the saga no read, and opens nothing', async () => {
    const reads: string[] = [];
    class Reads extends StoreInFront {
      override readStream(...[stream, options]: Parameters<StoreInFront['readStream']>) {
        reads.push(stream);
        return super.readStream(stream, options);
      }
    }
    const process = await world.start(new Reads(world.store), { ledger: { hotFoldsMiB: 0 } });
    const other = await world.start(world.store, { started: false });
    const hands = new Hands(other.ledger);
    for (let count = 0; count < 20; count += 1) {
      const parent = await hands.working();
      const child = await hands.working(parent);
      await hands.say(child);
      await hands.move(child, 'completed');
      await hands.move(parent, 'failed');
    }
    reads.length = 0;
    await process.saga.idle();
    expect(reads).toEqual([]);
    expect(process.saga.status.open).toBe(0);
  });
});
