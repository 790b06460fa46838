import { MemoryEventStore } from '#testing';
import type { ParentInput } from '#domain';
import type { TreeNode, Views } from '../src/index.js';
import { all, operator, user, ViewBench } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

const termsAt = (index: number): Omit<ParentInput, 'taskId'> => {
  if (index % 3 === 0) return { policy: 'cooperative', graceMs: 1_000 + index };
  return index % 3 === 1 ? { policy: 'abandon' } : { policy: 'cascade', onEnd: 'cascade' };
};

const plainTermsAt = (index: number): Omit<ParentInput, 'taskId' | 'graceMs'> => {
  const { graceMs: _, ...terms } = termsAt(index);
  return terms;
};

const chainIn = async (bench: ViewBench<MemoryEventStore>, ...taskIds: string[]): Promise<void> => {
  for (const [index, taskId] of taskIds.entries()) {
    const parentId = taskIds[index - 1];
    bench.clock.advance(1);
    await bench.log.submit(taskId, parentId === undefined ? {} : { parent: { taskId: parentId } });
  }
};

overEveryPlace('The tree of a task', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const submitChain = (...taskIds: string[]): Promise<void> => chainIn(bench, ...taskIds);

  it('shows what is linked below it, late links included', async () => {
    await submitChain('root', 'child', 'grandchild');
    await bench.log.submit('late');
    await bench.log.writeLate('root', [
      {
        type: 'LateChildLinked',
        data: {
          at: bench.log.at(),
          parentTaskId: 'root',
          child: { taskId: 'late', policy: 'cooperative', onEnd: 'cascade', graceMs: 5_000 },
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
        { taskId: 'late', ...terms, policy: 'cooperative', onEnd: 'cascade', late: true, children: [] },
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

  describe('has one root, however its links come in one batch of a view that serves', () => {
    const rootsOf = async (views: Views): Promise<Readonly<Record<string, string>>> =>
      Object.fromEntries(
        (await views.reader.listRows(operator, all)).items.map(({ taskId, rootTaskId }) => [
          taskId,
          rootTaskId,
        ]),
      );

    /** The roots after these histories, which the view is brought all at once; in a rebuilt view too. */
    const rootsAfter = async (write: () => Promise<void>): Promise<Readonly<Record<string, string>>> => {
      await submitChain('above');
      await submitChain('top', 'middle');
      const views = await bench.started();
      bench.store.faults.hold();
      await write();
      bench.store.faults.release();
      await bench.inStep(views);
      const roots = await rootsOf(views);
      await views.reader.rebuild('tasks');
      await bench.rebuilt(views);
      expect(await rootsOf(views)).toEqual(roots);
      return roots;
    };
    const below = (parentId: string, taskId: string): Promise<void> => {
      bench.clock.advance(1);
      return bench.log.submit(taskId, { parent: { taskId: parentId } });
    };

    it('a chain of new tasks', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `n${String(index)}`);
      const roots = await rootsAfter(async () => {
        for (const [index, taskId] of ids.entries()) await below(ids[index - 1] ?? 'middle', taskId);
      });
      for (const taskId of ids) expect(roots[taskId]).toBe('top');
    });

    it('a child whose parent is adopted after it', async () => {
      const roots = await rootsAfter(async () => {
        await below('middle', 'child');
        await bench.log.adopt('above', 'top');
      });
      expect(roots).toMatchObject({ top: 'above', middle: 'above', child: 'above' });
    });

    it('a child of a task that is itself new, and adopted after it', async () => {
      const roots = await rootsAfter(async () => {
        await submitChain('new');
        await below('new', 'child');
        await below('child', 'grandchild');
        await bench.log.adopt('middle', 'new');
      });
      expect(roots).toMatchObject({ new: 'top', child: 'top', grandchild: 'top' });
    });

    it('an adopted task that was touched before the new one that adopts it', async () => {
      const roots = await rootsAfter(async () => {
        await submitChain('first');
        await submitChain('second', 'third');
        await below('second', 'fourth');
        await bench.log.adopt('first', 'second');
        await bench.log.adopt('middle', 'first');
      });
      expect(roots).toMatchObject({ first: 'top', second: 'top', third: 'top', fourth: 'top' });
    });

    it('a child that stands in the log before the parent it has', async () => {
      const roots = await rootsAfter(async () => {
        const parent = { taskId: 'parent', policy: 'cascade', onEnd: 'abandon' };
        const born = (taskId: string, more: object) =>
          bench.log.write(taskId, [
            {
              type: 'TaskSubmitted',
              data: {
                at: bench.log.at(),
                taskId,
                contextId: 'c',
                rootTaskId: taskId,
                content: { enc: 'none', body: {} },
                ...more,
              },
            },
          ]);
        await born('child', { parent });
        await born('parent', { parent: { ...parent, taskId: 'top' } });
      });
      expect(roots).toMatchObject({ child: 'top', parent: 'top' });
    });
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

describe('A tree of thousands', () => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore());
  });
  afterEach(() => bench.close());

  it('of a chain of 5,000 is read in pieces that JSON can hold, each from the node that says that there is more', async () => {
    await chainIn(bench, ...Array.from({ length: 5_000 }, (_, index) => `link-${String(index)}`));
    const views = await bench.started();
    const seen: string[] = [];
    let next: string | undefined = 'link-0';
    while (next !== undefined) {
      const { tree } = await views.reader.tree(operator, next, { depth: 10_000, limit: 10_000 });
      let node = JSON.parse(JSON.stringify(tree)) as TreeNode;
      for (; node.children[0] !== undefined; node = node.children[0]) seen.push(node.taskId);
      if (node.more !== true) seen.push(node.taskId);
      next = node.more === true ? node.taskId : undefined;
    }

    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, index) => `link-${String(index)}`));
  }, 60_000);

  it('holds thousands of children with their terms, and gives them back as the fold has them', async () => {
    const childIds = Array.from({ length: 9_999 }, (_, index) => `child-${String(index)}`);
    await bench.log.submit('root');
    for (const [index, childId] of childIds.entries())
      await bench.log.submit(childId, { parent: { taskId: 'root', ...termsAt(index) } });
    const views = await bench.started();

    const { tree } = await views.reader.tree(operator, 'root', { depth: 1, limit: 10_000 });

    expect(tree.children.map(({ taskId, policy, onEnd }) => ({ taskId, policy, onEnd }))).toEqual(
      childIds.map((taskId, index) => ({ taskId, onEnd: 'abandon', ...plainTermsAt(index) })),
    );
    expect(tree.more).toBeUndefined();
    const loaded = await views.snapshots.load('root');
    // Compared as text: members in the same order, shelf by shelf.
    expect(JSON.stringify(loaded?.task.children)).toBe(JSON.stringify(bench.log.task('root').children));
    expect(loaded?.task.childCount).toBe(9_999);
  }, 120_000);
});
