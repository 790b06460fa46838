import { MemoryEventStore } from '#testing';
import { operator, ViewBench, wholeList } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

overEveryPlace('Unreadable events', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const good = ['good-1', 'good-2'];

  const writeBadEvents = async (): Promise<void> => {
    for (const taskId of ['unknown-type', 'wrong-field', 'broken-json', 'newer-version', ...good])
      await bench.log.submit(taskId, { text: 'begin' });
    await bench.log.write('unknown-type', [{ type: 'TaskTeleported', data: { at: bench.log.at() } }]);
    await bench.log.write('wrong-field', [{ type: 'TaskStarted', data: { at: 17 } }]);
    await bench.log.writeText('broken-json', [{ type: 'TaskStarted', data: '{"at":' }]);
    await bench.log.write('newer-version', [
      { type: 'TaskStarted', data: { v: 99, at: bench.log.at(), content: { enc: 'none', body: {} } } },
    ]);
    for (const taskId of good) await bench.log.move(taskId, 'working');
    await bench.log.move('newer-version', 'completed');
  };

  it('C43 are set aside and counted, flag their task and leave every other task alone', async () => {
    await writeBadEvents();
    const views = await bench.started();

    const setAside = await views.reader.setAside();
    const { tasks } = await wholeList(views, operator);

    expect(setAside.map(({ type }) => type)).toEqual([
      'TaskTeleported',
      'TaskStarted',
      'TaskStarted',
      'TaskStarted',
    ]);
    expect(setAside.every(({ error, position }) => error !== '' && position.startsWith(bench.logId))).toBe(
      true,
    );
    expect((await views.reader.status())[0]?.setAside).toBe(4);
    const states = new Map(
      tasks.map(({ taskId, state, unreadable }) => [taskId, [state, unreadable?.revision]]),
    );
    expect(states.get('good-1')).toEqual(['working', undefined]);
    expect(states.get('good-2')).toEqual(['working', undefined]);
    for (const taskId of ['unknown-type', 'wrong-field', 'broken-json', 'newer-version'])
      expect(states.get(taskId)).toEqual(['submitted', 1]);
  });

  it('C43 let a rebuild finish, which reports them again', async () => {
    await writeBadEvents();
    const views = await bench.started();

    await views.reader.rebuild('tasks');
    await bench.rebuilt(views);

    expect((await views.reader.status())[0]?.setAside).toBe(4);
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
  });

  it('C43 that begin a stream show a flagged task, not none', async () => {
    await bench.log.writeText('mystery', [{ type: 'TaskSubmitted', data: '{}' }]);
    const views = await bench.started();

    const { tasks } = await wholeList(views, operator);

    expect(tasks).toMatchObject([{ taskId: 'mystery', unreadable: { revision: 0, type: 'TaskSubmitted' } }]);
  });
});
