import { MemoryEventStore } from '#testing';
import { all, operator, user, ViewBench } from './view-bench.js';

describe('The tree of a task', () => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore());
  });
  afterEach(() => bench.close());

  const submitChain = async (...taskIds: string[]): Promise<void> => {
    for (const [index, taskId] of taskIds.entries()) {
      const parentId = taskIds[index - 1];
      bench.clock.advance(1);
      await bench.log.submit(taskId, parentId === undefined ? {} : { parent: { taskId: parentId } });
    }
  };

  it('shows what is linked below it, late links included', async () => {
    await submitChain('root', 'child', 'grandchild');
    await bench.log.submit('late');
    await bench.log.writeLate('root', [
      {
        type: 'LateChildLinked',
        data: {
          at: bench.log.at(),
          parentTaskId: 'root',
          child: { taskId: 'late', policy: 'cascade', onEnd: 'abandon' },
        },
      },
    ]);
    const views = await bench.started();

    const { tree } = await views.reader.tree(operator, 'root', { depth: 5, limit: 100 });

    const terms = { policy: 'cascade', onEnd: 'abandon', state: 'TASK_STATE_SUBMITTED' };
    expect(tree).toEqual({
      taskId: 'root',
      state: 'TASK_STATE_SUBMITTED',
      children: [
        { taskId: 'child', ...terms, children: [{ taskId: 'grandchild', ...terms, children: [] }] },
        { taskId: 'late', ...terms, late: true, children: [] },
      ],
    });
  });

  it('says where there is more than depth and limit allow', async () => {
    await submitChain('root', 'child', 'grandchild');
    const views = await bench.started();

    const shallow = await views.reader.tree(operator, 'root', { depth: 1, limit: 100 });
    const small = await views.reader.tree(operator, 'root', { depth: 5, limit: 1 });

    expect(shallow.tree.children).toMatchObject([{ taskId: 'child', more: true, children: [] }]);
    expect(small.tree).toMatchObject({ more: true, children: [] });
  });

  it('holds a chain of hundreds without recursion', async () => {
    const chain = Array.from({ length: 300 }, (_, index) => `link-${String(index).padStart(3, '0')}`);
    await submitChain(...chain);
    const views = await bench.started();

    let { tree: node } = await views.reader.tree(operator, 'link-000', { depth: 1_000, limit: 1_000 });
    let depth = 1;
    for (; node.children[0] !== undefined; depth += 1) node = node.children[0];

    expect(depth).toBe(300);
  }, 30_000);

  it('is unknown to whoever may not see the task', async () => {
    await submitChain('root');
    const views = await bench.started();
    for (const caller of [user('bob'), user('ann', 'else')])
      await expect(views.reader.tree(caller, 'root', { depth: 1, limit: 1 })).rejects.toMatchObject({
        code: 'task-not-found',
      });
  });

  it('moves below another root with everything in it when its top is adopted, in a rebuilt view too', async () => {
    await submitChain('top', 'root', 'child');
    await bench.log.submit('above');
    bench.clock.advance(1);
    await submitChain('old-root', 'old-child');
    const views = await bench.started();
    await bench.log.adopt('above', 'old-root');
    await bench.inStep(views);

    const rootsOf = async (): Promise<unknown> =>
      (await views.reader.listRows(operator, all)).items
        .map(({ taskId, rootTaskId, openChildren }) => [taskId, rootTaskId, openChildren])
        .sort();
    const expected = [
      ['above', 'above', 1],
      ['child', 'top', 0],
      ['old-child', 'above', 0],
      ['old-root', 'above', 1],
      ['root', 'top', 1],
      ['top', 'top', 1],
    ];
    expect(await rootsOf()).toEqual(expected);

    await views.reader.rebuild('tasks');
    await bench.rebuilt(views);

    expect(await rootsOf()).toEqual(expected);
  });

  it('counts as open only the children that have not ended', async () => {
    await submitChain('root', 'child');
    await bench.log.move('child', 'completed');
    const views = await bench.started();

    const { items } = await views.reader.listRows(operator, {
      ...all,
      filter: { contextId: 'context-of-root' },
    });

    expect(items.find(({ taskId }) => taskId === 'root')).toMatchObject({
      openChildren: 0,
      children: { total: 1 },
    });
  });

  it('of a cancellation has the task that was asked as its root', async () => {
    await submitChain('root');
    await bench.log.cancel('root', 'cancellation-1');
    const views = await bench.started();

    expect(await views.reader.rootOfCancellation('cancellation-1')).toEqual({
      rootTaskId: 'root',
      rootRevision: bench.log.task('root').revision,
    });
    expect(await views.reader.rootOfCancellation('cancellation-2')).toBeUndefined();
  });
});
