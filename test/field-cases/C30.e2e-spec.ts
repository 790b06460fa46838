import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#domain';
import type { RecordedEvent } from '#event-store';
import {
  alice,
  branch,
  type Branch,
  type Certificate,
  type EventFrames,
  grow,
  isEnd,
  leaves,
  LedgerApi,
  LedgerService,
  lineOf,
  settled,
  type Tree,
  useService,
  whenWorkers,
  withoutTimes,
  workerAgent,
} from '../support/index.js';
import { streamOf, wholeLog, withLog } from '../support/stored-log.js';
import { endsByStream, linesIn, storeBeginning } from '../support/stored-trees.js';

const killedAfter = [0, 1, 57, 199];
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

/** 200 tasks below the root, four levels of them. */
const treeOf200: Branch = branch(
  'P',
  Array.from({ length: 8 }, (_, index) => {
    const name = `N${String(index)}`;
    const deep = [branch(`${name}-x`, [branch(`${name}-y`, leaves(`${name}-z`, 2, { state: 'submitted' }))])];
    return branch(name, [...deep, ...leaves(`${name}-`, 20, { state: 'submitted' })]);
  }),
);

describe('C30 the intent of a cancel outlives the process', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  /** Reads until the n-th task below the root has ended. */
  const childEnds = async (feed: EventFrames, tree: Tree, count: number): Promise<void> => {
    for (let seen = 0; seen < count;) {
      const frame = await feed.next();
      if (frame === undefined) throw new Error('the feed was closed');
      const { taskId } = JSON.parse(frame.data) as { taskId: string };
      if (taskId !== tree.root && tree.taskIds.includes(taskId)) seen += 1;
    }
  };

  interface Run {
    readonly tree: Tree;
    readonly cancellationId: string;
  }

  const begun = async (): Promise<Run> => {
    const tree = await grow(user, agent, treeOf200);
    return { tree, cancellationId: (await user.cancel(tree.root, { reason: 'enough' })).body.cancellationId };
  };

  let undisturbed: Run;
  let expected: Certificate;

  beforeAll(async () => {
    undisturbed = await begun();
    expected = await settled(user, undisturbed.cancellationId);
    expect(expected.counts).toMatchObject({ canceled: undisturbed.tree.taskIds.length });
  }, heavyLimitMs);

  /** Names instead of ids, and in their order: ids of another run come in another one. */
  const shapeOf = (tree: Tree, certificate: Certificate): unknown => {
    const named = tree.named(withoutTimes({ ...certificate, cancellationId: 'x' })) as {
      nodes: { taskId: string }[];
      unconfirmed: string[];
    };
    const nodes = named.nodes.sort((one, two) => (one.taskId < two.taskId ? -1 : 1));
    const requestedBy = { ...certificate.requestedBy, requestId: 'x' };
    return { ...named, nodes, unconfirmed: named.unconfirmed.sort(), requestedBy };
  };

  /** Each node has one end and one line, and the root's own event is the only one of its kind. */
  const expectEachOnce = (log: readonly RecordedEvent[], { tree, cancellationId }: Run): void => {
    const ends = endsByStream(log);
    for (const taskId of tree.taskIds) {
      const named = ends.get(streamOf(taskId))?.map(({ data }) => JSON.parse(data) as JsonObject);
      expect([taskId, named?.map((data) => data.cancellationId)]).toEqual([taskId, [cancellationId]]);
    }
    expect([...linesIn(log, cancellationId)].sort()).toEqual([...tree.taskIds].sort());
  };

  /** Starts a service on this log and nothing else, and looks at what it makes of it. */
  const carriedOn = async (beginning: readonly RecordedEvent[]): Promise<void> => {
    const prepare = (folder: string): Promise<void> =>
      withLog(folder, (store) => storeBeginning(store, beginning));
    const resumed = new LedgerService({ prepare });
    try {
      await resumed.start();
      const certificate = await settled(new LedgerApi(resumed, alice), undisturbed.cancellationId);
      expect(withoutTimes(certificate)).toEqual(withoutTimes(expected));
      await resumed.kill();
      expectEachOnce(await withLog(resumed.directory, wholeLog), undisturbed);
    } finally {
      await resumed.dispose();
    }
  };

  it('C30 an agent that was away is told when it returns, cannot write any more, and that is noted', async () => {
    const tree = await grow(user, agent, branch('P', [branch('K', [branch('G')])]));
    const feed = await agent.feed('from=end&types=TaskCanceled');
    const other = (await user.create()).body.taskId;
    await user.cancel(other);
    const [last] = await feed.takeUntil(({ data }) => data.includes(other));
    feed.destroy();

    const { cancellationId } = (await user.cancel(tree.root)).body;
    const away = await settled(user, cancellationId);
    expect(away.workers).toMatchObject({ unnotified: 3 });

    const returned = await agent.feed('types=TaskCanceled', { 'Last-Event-ID': last?.id ?? '' });
    const told = new Set<string>();
    await returned.takeUntil(({ data }) => {
      told.add((JSON.parse(data) as { taskId: string }).taskId);
      return told.size === 3;
    });
    expect(told).toEqual(new Set(tree.taskIds));
    returned.destroy();

    expect((await agent.row(tree.id('K'))).body.state).toBe('TASK_STATE_CANCELED');
    expect((await agent.emit(tree.id('K'), 'completed', 'done')).problem).toMatchObject({
      status: 409,
      code: 'task-is-terminal',
    });
    expect((await agent.chunk(tree.id('G'), 'a1', ['more'])).problem.code).toBe('task-is-terminal');
    const certificate = await whenWorkers(user, cancellationId, { wroteLate: 2, notified: 1 });
    expect(lineOf(certificate, tree.id('K')).worker).toBe('wroteLate');
    expect(lineOf(certificate, tree.id('G')).worker).toBe('wroteLate');
    expect([...certificate.unconfirmed].sort()).toEqual([...tree.taskIds].sort());

    for (const taskId of tree.taskIds) expect((await agent.acknowledge(taskId)).status).toBe(200);
    const confirmed = await settled(user, cancellationId, 'confirmed');
    expect(confirmed.unconfirmed).toEqual([]);
    expect(confirmed.workers).toMatchObject({ acknowledged: 3, wroteLate: 0, notified: 0 });
  });

  it(
    'C30 killed after the n-th child event, n = 0, 1, 57, 199: the cascade finishes by itself after the restart',
    async () => {
      const runs: Run[] = [];
      for (const count of killedAfter) {
        const feed = await user.feed('from=end&types=TaskCanceled');
        const { tree, cancellationId } = await begun();
        await childEnds(feed, tree, count);
        await service.restart();
        feed.destroy();
        const certificate = await settled(user, cancellationId);
        expect([count, shapeOf(tree, certificate)]).toEqual([count, shapeOf(undisturbed.tree, expected)]);
        expect((await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations).toHaveLength(1);
        runs.push({ tree, cancellationId });
      }
      await service.kill();
      const log = await withLog(service.directory, wholeLog);
      for (const run of runs) expectEachOnce(log, run);
    },
    heavyLimitMs,
  );

  it(
    'C30 a log that ends exactly at the n-th child event is carried on to the same certificate',
    async () => {
      await service.kill();
      const log = await withLog(service.directory, wholeLog);
      const { tree } = undisturbed;
      const children = [...log.entries()].filter(
        ([, event]) =>
          isEnd(event) && tree.taskIds.slice(1).some((taskId) => event.stream === streamOf(taskId)),
      );
      expect(children).toHaveLength(tree.taskIds.length - 1);
      const root = log.findIndex((event) => isEnd(event) && event.stream === streamOf(tree.root));
      for (const count of killedAfter)
        await carriedOn(log.slice(0, 1 + (count === 0 ? root : (children[count - 1]?.[0] ?? 0))));
    },
    heavyLimitMs,
  );
});
