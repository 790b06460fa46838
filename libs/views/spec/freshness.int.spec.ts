import { MemoryEventStore } from '#testing';
import { positionsOf } from '#application';
import { all, operator, user, ViewBench } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

overEveryPlace('A list', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  it('C41 waits for what this process has appended', async () => {
    const views = await bench.started();
    bench.store.faults.hold();
    await bench.log.submit('new');
    views.noteAppended(positionsOf(bench.logId).toEdge(bench.log.position));

    const listing = views.reader.listRows(operator, all);
    bench.store.faults.release();
    const { items, stale } = await listing;

    expect(items.map(({ taskId }) => taskId)).toEqual(['new']);
    expect(stale).toBe(false);
  });

  it('C41 says that it is stale when the wait runs out', async () => {
    await bench.log.submit('old');
    const views = await bench.started();
    bench.store.faults.hold();
    await bench.log.submit('new');
    views.noteAppended(bench.log.position);

    const { items, stale, position } = await views.reader.listRows(operator, all);

    expect(items.map(({ taskId }) => taskId)).toEqual(['old']);
    expect(stale).toBe(true);
    expect(position < positionsOf(bench.logId).toEdge(bench.log.position)).toBe(true);
    bench.store.faults.release();
  }, 10_000);

  it('refuses to wait for what is no position of this log', async () => {
    const views = await bench.started();
    for (const waitFor of [
      'nonsense',
      `otherlog-${'1'.padStart(20, '0')}`,
      `${bench.logId}-${'9'.repeat(20)}`,
    ])
      await expect(views.reader.listRows(operator, { ...all, waitFor })).rejects.toMatchObject({
        code: 'invalid-request',
        detail: { field: 'ledger-wait-for' },
      });
  });

  it('C16 shows a task whose status is exactly of the instant that is asked for, and none before it', async () => {
    await bench.log.submit('before');
    bench.clock.advance(1);
    const statusAfter = bench.log.at();
    await bench.log.submit('at');
    const views = await bench.started();

    const { items, totalSize } = await views.reader.listRows(operator, { ...all, filter: { statusAfter } });

    expect(items.map(({ taskId }) => taskId)).toEqual(['at']);
    expect(totalSize).toBe(1);
  });

  it.each([0, 101, 1.5, Number.NaN])('C16 refuses a page size of %p', async (pageSize) => {
    const views = await bench.started();
    await expect(views.reader.listRows(operator, { ...all, pageSize })).rejects.toMatchObject({
      code: 'invalid-request',
      detail: { field: 'pageSize' },
    });
  });

  it('finds tasks by each of its filters', async () => {
    await bench.log.submit('root', { contextId: 'c-1', link: { kind: 'run', id: '7' } });
    bench.clock.advance(1);
    await bench.log.submit('child', { parent: { taskId: 'root' } });
    bench.clock.advance(1);
    await bench.log.submit('killed', { owner: 'bob', contextId: 'c-2' });
    await bench.log.cancel('killed', 'cancellation-1');
    const views = await bench.started();
    const idsOf = async (
      filter: Parameters<typeof views.reader.listRows>[1]['filter'],
    ): Promise<string[]> => {
      const { items, totalSize } = await views.reader.listRows(operator, { ...all, filter });
      expect(totalSize).toBe(items.length);
      return items.map(({ taskId }) => taskId);
    };

    expect(await idsOf({ contextId: 'c-1' })).toEqual(['child', 'root']);
    expect(await idsOf({ status: 'killed' })).toEqual(['killed']);
    expect(await idsOf({ states: ['submitted'] })).toEqual(['child', 'root']);
    expect(await idsOf({ states: ['canceled', 'submitted'] })).toEqual(['killed', 'child', 'root']);
    expect(await idsOf({ stoppedBy: 'user' })).toEqual(['killed']);
    expect(await idsOf({ parentTaskId: 'root' })).toEqual(['child']);
    expect(await idsOf({ rootTaskId: 'root' })).toEqual(['child', 'root']);
    expect(await idsOf({ link: 'run:7' })).toEqual(['root']);
    expect(await idsOf({ updatedAfter: bench.log.at() })).toEqual(['killed']);
    const mine = await views.reader.listRows(user('bob'), { ...all, filter: { contextId: 'c-1' } });
    expect(mine.totalSize).toBe(0);
  });

  it('shows documents as of its page, cut to the newest messages and the status message', async () => {
    await bench.log.submit('talk', { text: 'first' });
    await bench.log.move('talk', 'working', 'status');
    for (const text of ['one', 'two', 'three']) await bench.log.say('talk', text);
    const views = await bench.started();

    const { items } = await views.reader.listTasks(operator, { ...all, messages: 2, artifacts: false });

    expect(items[0]?.document.messages.map(({ message }) => message.parts[0]?.text)).toEqual([
      'status',
      'two',
      'three',
    ]);
  });
});
