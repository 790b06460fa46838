import type { CascadeDesk, DueTimer, DueTimers } from '#application';
import { openTimers, type Timers } from '../src/index.js';
import { bound, Hands, World, type Process } from './given.js';
import { LogView } from './log-view.js';

/** The timers that stand open in the log, in memory. */
class TimersOfLog implements DueTimers {
  lookups = 0;
  failures = 0;

  constructor(private readonly world: World) {}

  async due(until: string, limit: number): Promise<readonly DueTimer[]> {
    this.lookups += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('the view is away');
    }
    const { tasks } = await LogView.of(this.world.store);
    return [...tasks.values()]
      .filter(({ end }) => end === undefined)
      .flatMap(({ taskId, deadline, openCancellation: open }): DueTimer[] => [
        ...(deadline === undefined ? [] : [{ taskId, dueAt: deadline, kind: 'deadline' as const }]),
        ...(open?.dueAt === undefined
          ? []
          : [
              {
                taskId,
                dueAt: open.dueAt,
                kind: 'request' as const,
                cancellationId: open.cancellationId,
              },
            ]),
      ])
      .filter(({ dueAt }) => dueAt <= until)
      .sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1))
      .slice(0, limit);
  }
}

let world: World;
let process: Process;
let hands: Hands;
let timers: Timers | undefined;

beforeEach(async () => {
  world = new World();
  process = await world.start();
  hands = new Hands(process.ledger);
});
afterEach(async () => {
  await timers?.close();
  timers = undefined;
  await world.close();
});

const started = (view: DueTimers, desk: CascadeDesk = process.ledger.cascade): Timers => {
  const opened = openTimers({ desk, timers: view, clock: world.clock });
  timers = opened;
  opened.start();
  return opened;
};

/** Resolves when the task has ended. */
const ended = async (taskId: string): Promise<string> => {
  const { revision } = await hands.read(taskId);
  const signal = new AbortController().signal;
  for await (const { task } of process.ledger.live.watch(taskId, revision, signal))
    if (task.end !== undefined) return task.state;
  return (await hands.read(taskId)).state;
};

const asked = async (graceMs: number): Promise<string> => {
  const taskId = await hands.working();
  await hands.cancel(taskId, { mode: 'cooperative', graceMs });
  return taskId;
};

const withDeadline = async (milliseconds: number): Promise<string> => {
  const deadline = new Date(world.clock.now() + milliseconds).toISOString();
  const { task } = await process.ledger.commands.create(
    { tenant: 'acme', principal: 'alice', role: 'user', via: 'ledger-api' },
    { deadline },
  );
  return task.taskId;
};

describe('timers', () => {
  it('fire what became due while nobody was there, and nothing that is not due', async () => {
    const [late, later] = [await asked(5_000), await asked(3_600_000)];
    const [deadline, far] = [await withDeadline(5_000), await withDeadline(3_600_000)];
    world.clock.move(5_000);
    started(new TimersOfLog(world));
    expect(await Promise.all([ended(late), ended(deadline)])).toEqual(['canceled', 'stopped']);
    expect(await hands.states(later, far)).toEqual(['working', 'submitted']);
    expect(await hands.read(late)).toMatchObject({ end: { forced: true }, stoppedBy: 'user' });
    expect(await hands.read(deadline)).toMatchObject({ stoppedBy: 'deadline' });
  });

  it('fire each once, though the view shows it for a while', async () => {
    const [one, other] = [await asked(1_000), await asked(2_000)];
    world.clock.move(1_500);
    const view = new TimersOfLog(world);
    const { cascade } = process.ledger;
    const fired: string[] = [];
    const shown = await view.due(new Date(world.clock.now() + 60_000).toISOString(), 10);
    const behind: DueTimers = {
      due: (until) => Promise.resolve(shown.filter(({ dueAt }) => dueAt <= until)),
    };
    started(behind, {
      ...bound(cascade),
      fire: (taskId, timer) => {
        fired.push(taskId);
        return cascade.fire(taskId, timer);
      },
    });
    await ended(one);
    world.clock.move(1_000);
    await ended(other);
    expect(fired).toEqual([one, other]);
  });

  it('are tried again where the view, or the task, cannot be reached', async () => {
    const taskId = await asked(1_000);
    world.clock.move(1_000);
    const view = new TimersOfLog(world);
    view.failures = 1;
    const { cascade } = process.ledger;
    let failures = 1;
    started(view, {
      ...bound(cascade),
      fire: (...fired) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error('not now')) : cascade.fire(...fired);
      },
    });
    expect(await ended(taskId)).toBe('canceled');
  });

  it('of many tasks all fire', async () => {
    const many: string[] = [];
    for (let count = 0; count < 300; count += 1) many.push(await withDeadline(1_000));
    world.clock.move(1_000);
    started(new TimersOfLog(world));
    expect(new Set(await Promise.all(many.map(ended)))).toEqual(new Set(['stopped']));
  });

  it('looked after by two processes at once fire once', async () => {
    const ledger = { soleWriter: false };
    const both = [
      await world.start(world.store, { ledger, started: false }),
      await world.start(world.store, { ledger, started: false }),
    ];
    const due: string[] = [];
    for (let count = 0; count < 20; count += 1)
      due.push(await (count % 2 === 0 ? asked(1_000) : withDeadline(1_000)));
    world.clock.move(1_000);
    const view = new TimersOfLog(world);
    const shown = await view.due(new Date(world.clock.now()).toISOString(), 100);
    const running = both.map(({ ledger: { cascade: desk } }) =>
      openTimers({ desk, timers: { due: () => Promise.resolve(shown) }, clock: world.clock }),
    );
    for (const each of running) each.start();
    await Promise.all(due.map(ended));
    for (const each of running) await each.close();
    const { events } = await LogView.of(world.store);
    const ends = events.filter(({ type }) => type === 'TaskCanceled' || type === 'TaskStopped');
    expect(ends.map(({ stream }) => stream).sort()).toEqual(due.map((id) => `ledger.task-${id}`).sort());
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('the close ends them', async () => {
    const view = new TimersOfLog(world);
    await started(view).close();
    const { lookups } = view;
    const taskId = await asked(1_000);
    world.clock.move(1_000);
    expect(await hands.states(taskId)).toEqual(['working']);
    expect(view.lookups).toBe(lookups);
  });
});
