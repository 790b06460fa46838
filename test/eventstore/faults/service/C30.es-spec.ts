import { describe, expect, it } from '@jest/globals';
import { freshNamespace, useEventStoreServer } from '../../../support/event-store-server.js';
import {
  alice,
  branch,
  type Branch,
  type EventFrames,
  endsOf,
  grow,
  leaves,
  LedgerApi,
  settled,
  type Tree,
  useService,
  workerAgent,
} from '../../../support/index.js';

const killedAfter = [0, 1, 57, 119];
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

/** 120 tasks below the root, four levels of them. */
const treeOf120: Branch = branch(
  'P',
  Array.from({ length: 8 }, (_, index) => {
    const name = `N${String(index)}`;
    const deep = [branch(`${name}-x`, [branch(`${name}-y`, leaves(`${name}-z`, 2, { state: 'submitted' }))])];
    return branch(name, [...deep, ...leaves(`${name}-`, 10, { state: 'submitted' })]);
  }),
);

describe('C30 the intent of a cancel outlives the process, with its events in an EventStoreDB', () => {
  const server = useEventStoreServer();
  const namespace = freshNamespace();
  const service = useService({ environment: () => server.environment(namespace) });
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  /** Reads until the n-th task below the root has ended. */
  const childEnds = async (feed: EventFrames, tree: Tree, count: number): Promise<void> => {
    for (let seen = 0; seen < count;) {
      const [frame] = await feed.take(1);
      const { taskId } = JSON.parse(frame?.data ?? '{}') as { taskId: string };
      if (taskId !== tree.root && tree.taskIds.includes(taskId)) seen += 1;
    }
  };

  it.each(killedAfter)(
    'C30 killed after the n-th child event, n = %d: the cascade finishes by itself after the restart, each node once',
    async (count) => {
      const tree = await grow(user, agent, treeOf120);
      const feed = await agent.feed('from=end&types=TaskCanceled');
      const { cancellationId } = (await user.cancel(tree.root, { reason: 'enough' })).body;
      await childEnds(feed, tree, count);
      await service.restart();
      feed.destroy();
      const { counts, nodes } = await settled(user, cancellationId);
      expect(counts).toMatchObject({ canceled: tree.taskIds.length });
      expect(nodes.map(({ taskId }) => taskId).sort()).toEqual([...tree.taskIds].sort());
      const ends = await endsOf(user, tree.taskIds);
      for (const taskId of tree.taskIds)
        expect(ends.get(taskId)?.map(({ data }) => data.cancellationId)).toEqual([cancellationId]);
      const listed = (await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations;
      expect(listed.map((one) => one.cancellationId)).toEqual([cancellationId]);
    },
    heavyLimitMs,
  );
});
