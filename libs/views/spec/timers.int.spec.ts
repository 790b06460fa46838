import { MemoryEventStore } from '#testing';
import type { Views } from '../src/index.js';
import { ViewBench } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

const later = '9999-12-31T00:00:00.000Z';

overEveryPlace('The open timers', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const ask = (taskId: string, cancellationId: string, graceMs = 5_000): Promise<void> =>
    bench.log.cancel(taskId, cancellationId, { mode: 'cooperative', graceMs });

  const work = async (taskId: string, deadline?: string): Promise<void> => {
    await bench.log.submit(taskId, deadline === undefined ? {} : { deadline });
    await bench.log.move(taskId, 'working');
  };

  const idsOf = async (views: Views, until = later): Promise<readonly string[]> =>
    (await views.timers.due(until, 100)).map(({ taskId, kind }) => `${taskId} ${kind}`);

  it('are those that are due, the oldest first, and no more of them than are asked for', async () => {
    await work('late', '2026-01-01T00:00:20.000Z');
    await work('soon', '2026-01-01T00:00:10.000Z');
    await work('asked');
    await ask('asked', 'cancellation-1');
    await work('untimed');
    const views = await bench.started();

    expect(await views.timers.due('2026-01-01T00:00:10.000Z', 100)).toEqual([
      {
        taskId: 'asked',
        kind: 'request',
        dueAt: '2026-01-01T00:00:05.000Z',
        cancellationId: 'cancellation-1',
      },
      { taskId: 'soon', kind: 'deadline', dueAt: '2026-01-01T00:00:10.000Z' },
    ]);
    expect(await views.timers.due('2026-01-01T00:00:04.999Z', 100)).toEqual([]);
    expect(await views.timers.due(later, 1)).toHaveLength(1);
    expect(await idsOf(views)).toEqual(['asked request', 'soon deadline', 'late deadline']);
  });

  it('hold both of a task that is asked and has a deadline', async () => {
    await work('both', '2026-01-01T00:00:10.000Z');
    await ask('both', 'cancellation-1');
    const views = await bench.started();

    expect(await idsOf(views)).toEqual(['both request', 'both deadline']);
  });

  it.each<[string, (taskId: string) => Promise<void>, readonly string[]]>([
    ['ends', (taskId) => bench.log.move(taskId, 'completed'), []],
    ['is canceled at once', (taskId) => bench.log.cancel(taskId, 'cancellation-2', { cascade: true }), []],
    ['declines', (taskId) => bench.log.decline(taskId), ['task deadline']],
    ['goes on', (taskId) => bench.log.move(taskId, 'input-required'), ['task request', 'task deadline']],
    ['cannot be read any more', (taskId) => bench.log.write(taskId, [{ type: 'Unheard', data: {} }]), []],
  ])('follow a task that %s', async (_what, step, expected) => {
    await work('task', '2026-01-01T00:00:10.000Z');
    await ask('task', 'cancellation-1');
    const views = await bench.started();
    expect(await idsOf(views)).toEqual(['task request', 'task deadline']);

    await step('task');
    await bench.inStep(views);

    expect(await idsOf(views)).toEqual(expected);
  });

  it('name the request that is open when a task was asked anew after it declined', async () => {
    await work('task');
    await ask('task', 'cancellation-1', 1_000);
    const views = await bench.started();
    await bench.log.decline('task');
    await ask('task', 'cancellation-2', 9_000);
    await bench.inStep(views);

    expect(await views.timers.due(later, 100)).toEqual([
      {
        taskId: 'task',
        kind: 'request',
        dueAt: '2026-01-01T00:00:09.000Z',
        cancellationId: 'cancellation-2',
      },
    ]);
  });

  it('are ordered by instant, however a deadline was written', async () => {
    await work('plain', '2026-01-01T00:00:02Z');
    await work('zone', '2026-01-01T02:00:01+02:00');
    const views = await bench.started();

    expect(await idsOf(views)).toEqual(['zone deadline', 'plain deadline']);
  });

  it('C40 are none before the view was filled, and the same ones after a rebuild', async () => {
    for (const taskId of ['one', 'two', 'three']) await work(taskId, '2026-01-01T00:00:10.000Z');
    await ask('one', 'cancellation-1');
    await bench.log.move('two', 'completed');
    bench.store.faults.hold();
    const views = await bench.open();
    views.start();
    expect(await views.timers.due(later, 100)).toEqual([]);
    bench.store.faults.release();
    await bench.inStep(views);
    const before = await views.timers.due(later, 100);

    await views.reader.rebuild('tasks');
    await bench.log.move('three', 'completed');
    await bench.rebuilt(views);

    expect(before).toHaveLength(3);
    expect(await views.timers.due(later, 100)).toEqual(before.filter(({ taskId }) => taskId === 'one'));
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
  });
});
