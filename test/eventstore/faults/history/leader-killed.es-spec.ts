import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  al2,
  alice,
  allRows,
  branch,
  type Branch,
  endsOf,
  type EventFrames,
  grow,
  inParallel,
  leaves,
  LedgerApi,
  type LedgerService,
  mismatches,
  rebuilt,
  settled,
  viewsOf,
  workerAgent,
} from '../../../support/index.js';
import { disturb, whyNot } from '../../history/support/disturbances.js';
import { TwoInstances } from '../../history/support/two-instances.js';

/** A liveness limit for a busy machine. */
const limitMs = 600_000;
/** Ends of children that are seen before the leader is killed; at 0 it is killed while the cancel is being asked for. */
const endsBefore = [0, 57];
const tasks = 600;
const writers = 8;
const reason = whyNot('kill');

/** 200 tasks below the root, two levels of them. */
const treeOf200: Branch = branch(
  'P',
  Array.from({ length: 8 }, (_, index) => {
    const name = `N${String(index)}`;
    return branch(name, leaves(`${name}-`, 24, { state: 'submitted' }));
  }),
);

const cases = reason === undefined ? describe : describe.skip;

cases(`with the leader of the event store killed${reason === undefined ? '' : `: ${reason}`}`, () => {
  let two: TwoInstances;
  beforeAll(async () => {
    two = await TwoInstances.start();
  }, limitMs);
  afterAll(() => two?.stop());

  const services = (): readonly [LedgerService, LedgerService] => two.services;
  const apis = () => ({
    user: new LedgerApi(services()[0], alice),
    agent: new LedgerApi(services()[1], workerAgent),
    operator: new LedgerApi(services()[1], al2),
  });

  /** Writes may be refused for a moment; nothing was written then, and the key makes it safe to ask again. */
  const created = async (agent: LedgerApi, contextId: string, number: number): Promise<string> => {
    const key = { 'Idempotency-Key': `${contextId}-${String(number)}` };
    for (;;) {
      const answer = await agent.create({ contextId }, key);
      if (answer.status === 201) return answer.body.taskId;
      if (answer.status !== 503) throw new Error(`not created: ${answer.text}`);
    }
  };

  /** Asks for the cancel, and asks again where no answer came. */
  const cancelled = async (user: LedgerApi, root: string): Promise<string> => {
    for (;;) {
      const answer = await user.cancel(root, { reason: 'enough' }, { 'Idempotency-Key': root });
      if (answer.status === 202) return answer.body.cancellationId;
      if (answer.status !== 503) throw new Error(`not cancelled: ${answer.text}`);
    }
  };

  const childEnds = async (feed: EventFrames, count: number): Promise<void> => {
    for (let seen = 0; seen < count; seen++)
      if ((await feed.next()) === undefined) throw new Error('the feed was closed');
  };

  /** Whether the cascade was still under way when the leader had been killed. */
  const cutOff = async (count: number): Promise<boolean> => {
    const { user, agent } = apis();
    const tree = await grow(user, agent, treeOf200);
    const feed = await agent.feed('from=end&types=TaskCanceled');
    const asking = cancelled(user, tree.root);
    await childEnds(feed, count);
    await disturb('kill');
    const cancellationId = await asking;
    const isCut = (await agent.certificate(cancellationId)).body.status === 'running';
    feed.destroy();

    const certificate = await settled(agent, cancellationId);
    expect(certificate.counts).toMatchObject({ canceled: tree.taskIds.length });
    expect(new Set(certificate.nodes.map(({ taskId }) => taskId))).toEqual(new Set(tree.taskIds));
    const ends = await endsOf(user, tree.taskIds);
    const named = [...ends.values()].map((found) => found.map(({ data }) => data.cancellationId));
    expect(named).toEqual(tree.taskIds.map(() => [cancellationId]));
    return isCut;
  };

  it(
    'C30 a cascade of 200 finishes by itself, and each node is cancelled once',
    async () => {
      const cuts: boolean[] = [];
      for (const count of endsBefore) cuts.push(await cutOff(count));
      // The first begins with its leader: a run in which every cascade was over before proves nothing.
      expect(cuts).toContain(true);
    },
    limitMs,
  );

  const rebuiltOnce = async (operator: LedgerApi, name: string): Promise<void> => {
    const { status } = await operator.post(`/views/${name}/rebuild`);
    if (status === 503) return;
    expect(status).toBeLessThan(300);
    await rebuilt(operator, name, limitMs);
  };

  it(
    'C40 a rebuild beside live writes loses nothing, and the views agree with the log after it',
    async () => {
      const { user, agent, operator } = apis();
      await inParallel(tasks, writers, (number) => created(user, 'before', number));
      const before = await allRows(user, 'contextId=before');
      expect(before).toHaveLength(tasks);

      const name = (await viewsOf(operator))[0]?.name ?? '';
      const writing = inParallel(tasks, writers, (number) => created(agent, 'beside', number));
      const killing = disturb('kill').then(() => 'over' as const);
      // One after the other, so that one of them is under way when the leader goes, and one begins after that.
      for (let running = true; running;) {
        running = (await Promise.race([killing, Promise.resolve('running' as const)])) === 'running';
        await rebuiltOnce(operator, name);
      }
      const beside = await writing;

      expect(await allRows(user, 'contextId=before')).toEqual(before);
      const listed = await allRows(operator, 'contextId=beside');
      expect(new Set(listed.map(({ taskId }) => taskId))).toEqual(new Set(beside));
      expect(listed).toHaveLength(tasks);
      expect(await mismatches(operator)).toEqual([]);
    },
    limitMs,
  );
});
