import { silentLogger, type CascadeDesk } from '#application';
import type { CancellationScope } from '#domain';
import { Cascades } from '../src/cascades/cascades.js';
import { completedMetrics } from '../src/telemetry.js';
import { Beginnings } from '../src/triggers/beginnings.js';
import { Bell, Busy } from '../src/work/busy.js';
import { Calls } from '../src/work/calls.js';
import { Slots } from '../src/work/slots.js';
import { bound, Hands, World } from './given.js';
import { LogView } from './log-view.js';

// What comes in the middle of a sweep: the moments that a whole saga meets once in a thousand runs.

let world: World;
let hands: Hands;
let desk: CascadeDesk;
beforeEach(async () => {
  world = new World();
  const { ledger } = await world.start(world.store, { started: false });
  hands = new Hands(ledger);
  desk = ledger.cascade;
});
afterEach(() => world.close());

const endsWithIt = { policy: 'abandon', onEnd: 'cascade' } as const;

const opened = (of: CascadeDesk) => {
  const metrics = completedMetrics(undefined);
  const signal = new AbortController().signal;
  const calls = new Calls({ slots: new Slots(8), signal, logger: silentLogger, metrics });
  const busy = new Busy(new Bell());
  const parts = { calls, desk: of, busy, metrics, logger: silentLogger, inFlightMax: 8, now: Date.now };
  return { cascades: new Cascades(parts), beginnings: new Beginnings(calls, of), busy };
};

const found = (scope: CancellationScope | undefined): CancellationScope => {
  if (scope === undefined) throw new Error('nothing begins here');
  return scope;
};

const outcomes = async ({ cancellationId }: CancellationScope) =>
  (await LogView.of(world.store)).outcomes(cancellationId);

describe('a late link that comes while a cancellation is swept', () => {
  it('has every line written, though nobody lived for whom the certificate would have been opened', async () => {
    const root = await hands.working();
    const [over, late] = [await hands.working(root, endsWithIt), await hands.working()];
    await hands.move(over, 'completed');
    const link = await world.heldLink(root, late, endsWithIt);
    await hands.move(root, 'completed');
    const task = await hands.read(root);
    let second: Promise<unknown> = Promise.resolve();
    let isFirst = true;
    const { cascades, beginnings, busy } = opened({
      ...bound(desk),
      atHand: () => undefined,
      task: async (taskId, seen) => {
        if (taskId === over && isFirst) {
          isFirst = false;
          await link();
          // The event of the link is what made the saga look.
          await desk.late(root, 0);
          second = cascades.join(scope, { path: [root, late] });
        }
        return desk.task(taskId, seen);
      },
    });
    const id = desk.parentEndId(root, task.end?.eventId ?? '');
    const scope = found(await beginnings.answerTo(task, id));
    expect(await cascades.join(scope, {})).toBe('done');
    expect(await second).toBe('done');
    expect(await outcomes(scope)).toEqual({
      [root]: 'alreadyTerminal',
      [over]: 'alreadyTerminal',
      [late]: 'canceled',
    });
    expect(busy.count).toBe(0);
  });

  it('sees the end of a task for all who wait for it, before the log tells it', async () => {
    const root = await hands.working();
    const asked = await hands.working(root, { policy: 'cooperative' });
    const [one, other] = [await hands.working(asked), await hands.working(asked)];
    const cancellationId = await hands.cancel(root);
    const { cascades, beginnings, busy } = opened(desk);
    const { end } = await hands.read(root);
    const scope = found(await beginnings.requestAt(root, end?.revision ?? -1));
    expect(scope.cancellationId).toBe(cancellationId);
    const whole = cascades.join(scope, {});
    while (busy.count > 0) await busy.bell.next();
    expect(await hands.states(asked, one, other)).toEqual(['working', 'working', 'working']);
    await hands.move(asked, 'completed');
    const path = cascades.join(scope, { path: [root, asked, one] });
    expect(await Promise.all([whole, path])).toEqual(['done', 'done']);
    expect(await outcomes(scope)).toEqual({
      [root]: 'canceled',
      [asked]: 'lostRace',
      [one]: 'canceled',
      [other]: 'canceled',
    });
    expect(busy.count).toBe(0);
  });
});
