import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  branch,
  eventually,
  grow,
  httpRequest,
  inParallel,
  leaves,
  LedgerApi,
  settled,
  stateIn,
  userMessage,
  workerAgent,
} from '../../support/index.js';
import { standingsOf, useInstances } from '../../support/ledger-instances.js';

const rounds = 24;
const races = 3;
const writers = 20;
/** The promise: whoever is killed is replaced by then. */
const takeoverLimitMs = 10_000;

const everyConsumer = (standing: string) => ({ projector: standing, saga: standing, timers: standing });

describe('two instances on one log and one database', () => {
  const instances = useInstances(2);
  const [a, b] = instances.running as [
    (typeof instances.running)[number],
    (typeof instances.running)[number],
  ];
  const [rpcA, rpcB] = [new A2aRpc(a, alice), new A2aRpc(b, alice)];
  const [userA, userB] = [new LedgerApi(a, alice), new LedgerApi(b, alice)];
  const [agentA, agentB] = [new LedgerApi(a, workerAgent), new LedgerApi(b, workerAgent)];

  it('each consumer is led by one of them', async () => {
    const [one, other] = await Promise.all([standingsOf(a), standingsOf(b)]);
    for (const consumer of ['projector', 'saga', 'timers'])
      expect([one[consumer], other[consumer]].sort()).toEqual(['leading', 'standing-by']);
  });

  it('C41 a task made on one is got, listed and cancelled on the other at once', async () => {
    await inParallel(rounds, 8, async (index) => {
      const contextId = `c41-${String(index)}`;
      const made = await rpcA.send('x', { contextId, configuration: { returnImmediately: true } });
      const { id } = made.result.task;
      expect((await rpcB.getTask(id)).result.id).toBe(id);
      const waiting = { 'Ledger-Wait-For': made.http.position ?? '' };
      const listed = await rpcB.call('ListTasks', { contextId }, waiting);
      expect(listed.result).toMatchObject({ totalSize: 1, tasks: [{ id }] });
      expect((await rpcB.cancelTask(id)).result.status.state).toBe('TASK_STATE_CANCELED');
      expect((await rpcA.getTask(id)).result.status.state).toBe('TASK_STATE_CANCELED');
    });
  });

  it('C34 writers on both and a cancel: accepted is stored once, refused is a typed conflict', async () => {
    for (let race = 0; race < races; race += 1) {
      const { taskId } = (await userA.create()).body;
      await agentB.chunk(taskId, 'a1', ['open']);
      const writes = Array.from({ length: writers }, (_, index) => [
        (index % 2 === 0 ? userA : userB).message(taskId, userMessage(String(index))),
        (index % 2 === 0 ? agentB : agentA).chunk(taskId, 'a1', [String(index)], { append: true }),
      ]);
      const [canceled, ...answers] = await Promise.all([userB.cancel(taskId), ...writes.flat()]);
      expect(canceled.status).toBe(202);
      const refused = answers.filter(({ status }) => status >= 300);
      for (const { problem } of refused)
        expect(problem).toMatchObject({ status: 409, code: 'task-is-terminal' });
      const types = await userA.eventTypes(taskId);
      expect(types.at(-1)).toBe('TaskCanceled');
      // Submitted, the first chunk, and the end.
      expect(types).toHaveLength(3 + answers.length - refused.length);
      expect(await userB.eventTypes(taskId)).toEqual(types);
    }
  });

  it('who waits, watches or follows on one hears what is written on the other', async () => {
    const feed = await agentB.feed('types=TaskSubmitted&from=end');
    const blocking = rpcB.send('write a poem');
    const [frame] = await feed.take(1);
    const { taskId } = JSON.parse(frame?.data ?? '{}') as { taskId: string };
    const watched = await rpcB.subscribe(taskId);
    const follows = await agentB.followEvents(taskId, 'from=0');
    await agentA.emit(taskId, 'working');
    await agentA.chunk(taskId, 'poem', ['Roses'], { lastChunk: true });
    await agentA.emit(taskId, 'completed', 'done');
    expect((await blocking).result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await watched.rest()).map(stateIn)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      undefined,
      'TASK_STATE_COMPLETED',
    ]);
    await follows.takeUntil(({ data }) => data.includes('TaskCompleted'));
    for (const stream of [feed, follows]) stream.destroy();
  });

  it('one idempotency key makes one task, asked of both at once', async () => {
    const once = { 'Idempotency-Key': 'both' };
    const answers = await Promise.all([userA, userB, userA, userB].map((user) => user.create({}, once)));
    expect(new Set(answers.map(({ body }) => body.taskId)).size).toBe(1);
  });

  it('an instance without the role api serves health and metrics only, and leads only what it stands for', async () => {
    const third = instances.instance(() => ({ LEDGER_ROLES: 'saga, timers' }));
    await third.start();
    expect(Object.keys(await standingsOf(third)).sort()).toEqual(['saga', 'timers']);
    const statuses = await Promise.all(
      ['/healthz', '/metrics', '/ledger/v1/rows', '/.well-known/agent-card.json', '/docs'].map(
        async (path) => (await httpRequest(`${third.url}${path}`)).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 404, 404, 404]);
    await third.dispose();
  });

  it('C30 whoever is killed, the other one leads, and cascades, lists and timers go on', async () => {
    const tree = await grow(userA, agentA, branch('P', leaves('K', 12)));
    const { cancellationId } = (await userA.cancel(tree.root)).body;
    await a.kill();
    await eventually(
      'an instance that leads alone',
      async () => {
        const standings = await standingsOf(b);
        return Object.values(standings).every((standing) => standing === 'leading') ? true : undefined;
      },
      takeoverLimitMs,
    );
    const { counts } = await settled(userB, cancellationId);
    expect(counts).toMatchObject({ canceled: tree.taskIds.length });

    const deadline = new Date(Date.now() + 500).toISOString();
    const { taskId } = (await userB.create({ deadline })).body;
    const follows = await agentB.followEvents(taskId, 'from=0');
    await follows.takeUntil(({ data }) => data.includes('TaskStopped'));
    follows.destroy();
    const listed = await userB.rows(`stoppedBy=deadline&pageSize=10`);
    expect(listed.body.rows.map((row) => row.taskId)).toEqual([taskId]);

    await a.start();
    expect(await standingsOf(a)).toEqual(everyConsumer('standing-by'));
    expect(await standingsOf(b)).toEqual(everyConsumer('leading'));
    expect((await userA.certificate(cancellationId)).body.status).not.toBe('running');
  });
});
