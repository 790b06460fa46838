import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FrameLog } from '../../../support/frame-log.js';
import {
  alice,
  branch,
  eventually,
  grow,
  httpRequest,
  leaves,
  LedgerApi,
  settled,
  workerAgent,
} from '../../../support/index.js';
import { standingsOf, useInstances } from '../../../support/ledger-instances.js';
import { Severable, targetOf } from '../../../support/severable.js';

/** The promise: the other instance leads by then. */
const takeoverLimitMs = 10_000;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('an instance whose database is away', () => {
  const instances = useInstances(0);
  let way: Severable;
  const cut = instances.instance(() => ({ LEDGER_VIEWS: way.through(instances.database.url) }));
  const other = instances.instance();
  const [user, agent] = [new LedgerApi(cut, alice), new LedgerApi(cut, workerAgent)];

  beforeAll(async () => {
    way = new Severable(targetOf(instances.database.url));
    await way.mend();
    // Started first, it leads every consumer.
    await cut.start();
    await other.start();
  }, heavyLimitMs);
  afterAll(() => way.cut());

  const leadsAll = (service: typeof cut): Promise<true> =>
    eventually(
      'an instance that leads alone',
      async () =>
        Object.values(await standingsOf(service)).every((one) => one === 'leading') ? true : undefined,
      takeoverLimitMs,
    );

  it(
    'goes on with commands, tasks and streams, says what is away, and lets the other one lead',
    async () => {
      await leadsAll(cut);
      const { taskId } = (await user.create({ metadata: { kept: 'cold' } })).body;
      const follows = new FrameLog(await agent.followEvents(taskId, 'from=0'));
      await way.cut();

      await leadsAll(other);
      expect((await agent.emit(taskId, 'working')).status).toBe(200);
      expect((await user.row(taskId)).body).toMatchObject({ revision: 1, state: 'TASK_STATE_WORKING' });
      await follows.holds('TaskStarted');
      const rows = await user.rows();
      expect([rows.problem.code, rows.headers.get('retry-after')]).toEqual(['unavailable', '1']);
      const ready = await httpRequest(`${cut.url}/readyz`);
      expect(ready.status).toBe(503);
      expect(ready.text).toContain('the database of the views does not answer');

      const tree = await grow(user, agent, branch('P', leaves('K', 5)));
      const { cancellationId } = (await user.cancel(tree.root)).body;
      const { counts } = await settled(new LedgerApi(other, alice), cancellationId);
      expect(counts).toMatchObject({ canceled: 6 });

      await way.mend();
      const listed = await eventually('lists that are served again', async () => {
        const answer = await user.rows('pageSize=100');
        return answer.status === 200 ? answer.body : undefined;
      });
      expect(listed.totalSize).toBe(7);
      expect(follows.closed).toBe(false);
      await agent.emit(taskId, 'completed');
      await follows.holds('TaskCompleted');
      follows.destroy();
    },
    heavyLimitMs,
  );
});
