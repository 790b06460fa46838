import { MemoryEventStore } from '#testing';
import { smallContextMax } from '../src/store/statements/context-totals.js';
import { ViewBench, wholeList, operator, user, all } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

overEveryPlace('Lists', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const idsOf = (tasks: readonly { taskId: string }[]): string[] => tasks.map(({ taskId }) => taskId);
  const submit = async (...taskIds: string[]): Promise<void> => {
    for (const taskId of taskIds) await bench.log.submit(taskId);
  };

  it('C14 show tasks of one instant once each, with the same total on every page and an empty token at the end', async () => {
    await submit('t1', 't2', 't3', 't4', 't5', 't6', 't7');
    const views = await bench.started();

    const list = await wholeList(views, operator, { ...all, pageSize: 2 });

    expect(list.pages).toBe(4);
    expect(idsOf(list.tasks)).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't7']);
    expect(list.totals).toEqual([7, 7, 7, 7]);
  });

  it('C15 show every task of page one’s moment, however it is touched while they are paged', async () => {
    for (const taskId of ['t1', 't2', 't3', 't4', 't5', 't6']) {
      await submit(taskId);
      bench.clock.advance(1_000);
    }
    const views = await bench.started();
    const first = await views.reader.listTasks(operator, {
      ...all,
      pageSize: 2,
      messages: 10,
      artifacts: true,
    });
    await bench.log.move('t1', 'working', 'on it');
    await submit('t7');
    await bench.inStep(views);

    const rest = await wholeList(views, operator, { ...all, pageSize: 2, pageToken: first.nextPageToken });

    expect(idsOf(first.items.map(({ task }) => task))).toEqual(['t6', 't5']);
    expect(idsOf(rest.tasks)).toEqual(['t4', 't3', 't2', 't1']);
    expect(rest.tasks.at(-1)?.state).toBe('submitted');
    expect(rest.totals).toEqual([6, 6]);
    expect(idsOf((await wholeList(views, operator)).tasks)).toEqual([
      't1',
      't7',
      't6',
      't5',
      't4',
      't3',
      't2',
    ]);
  });

  it('C14 count a context of any size, whoever its tasks belong to, after a rebuild too', async () => {
    const views = await bench.started();
    const totals = async (): Promise<readonly number[]> => {
      const list = { ...all, pageSize: 1, filter: { contextId: 'c' } };
      const callers = [operator, user('ann'), user('bob'), user('cid')];
      return Promise.all(
        callers.map(async (caller) => (await views.reader.listRows(caller, list)).totalSize),
      );
    };
    const grow = async (to: number, ...owners: string[]): Promise<void> => {
      for (let index = bench.log.tasks.size; index < to; index += 1)
        await bench.log.submit(`t${String(index)}`, {
          contextId: 'c',
          owner: owners[index % owners.length]!,
        });
      await bench.inStep(views);
    };
    await grow(smallContextMax, 'ann', 'bob');
    expect(await totals()).toEqual([32, 16, 16, 0]);
    await grow(smallContextMax + 2, 'ann', 'bob');
    expect(await totals()).toEqual([34, 17, 17, 0]);
    await grow(smallContextMax + 8, 'cid', 'ann');
    expect(await totals()).toEqual([40, 20, 17, 3]);
    await views.reader.rebuild('tasks');
    await bench.rebuilt(views);
    expect(await totals()).toEqual([40, 20, 17, 3]);
    await grow(smallContextMax + 10, 'bob');
    expect(await totals()).toEqual([42, 20, 19, 3]);
  });

  it('C15 show the whole tree of page one’s moment, though another root was put above it meanwhile', async () => {
    await submit('above', 'root');
    for (const child of ['c1', 'c2', 'c3']) await bench.log.submit(child, { parent: { taskId: 'root' } });
    const views = await bench.started();
    const list = { filter: { rootTaskId: 'root' }, pageSize: 1 };
    const first = await views.reader.listRows(operator, list);
    await bench.log.adopt('above', 'root');
    await bench.inStep(views);

    const rest = await wholeList(views, operator, { ...list, pageToken: first.nextPageToken });

    expect(idsOf([...first.items, ...rest.tasks]).sort()).toEqual(['c1', 'c2', 'c3', 'root']);
    expect((await wholeList(views, operator, list)).tasks.map(({ taskId }) => taskId)).toEqual(['root']);
    expect(
      (await views.reader.listRows(operator, { ...list, filter: { rootTaskId: 'above' } })).totalSize,
    ).toBe(5);
  });

  it('show a user what is his own, and an operator the tenant', async () => {
    await bench.log.submit('ann-1', { owner: 'ann' });
    await bench.log.submit('bob-1', { owner: 'bob' });
    await bench.log.submit('else-1', { tenant: 'else', owner: 'ann' });
    const views = await bench.started();

    expect(idsOf((await wholeList(views, user('ann'))).tasks)).toEqual(['ann-1']);
    expect(idsOf((await wholeList(views, operator)).tasks)).toEqual(['ann-1', 'bob-1']);
    expect((await wholeList(views, user('bob'))).totals).toEqual([1]);
  });
});
