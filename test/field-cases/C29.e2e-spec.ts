import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  branch,
  endsOf,
  grow,
  inParallel,
  leaves,
  LedgerApi,
  settled,
  useService,
  workerAgent,
} from '../support/index.js';

const races = 500;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C29 a cancel says what happened', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const canceledEvents = async (taskId: string): Promise<number> =>
    (await agent.eventTypes(taskId)).filter((type) => type === 'TaskCanceled').length;

  it.each(['submitted', 'working', 'input-required', 'auth-required'])(
    'C29 a %s task ends canceled, once, and asking again returns it',
    async (state) => {
      const { id } = await rpc.newTask();
      if (state !== 'submitted') expect((await agent.emit(id, state, 'so far')).status).toBe(200);
      const first = (await rpc.cancelTask(id)).result;
      expect(first.status.state).toBe('TASK_STATE_CANCELED');
      const events = (await agent.events(id)).body.events;
      expect((await rpc.cancelTask(id)).result).toEqual(first);
      expect((await agent.events(id)).body.events).toEqual(events);
      expect(await canceledEvents(id)).toBe(1);
    },
  );

  it.each(['completed', 'failed', 'rejected'])('C29 a %s task is not cancelable: -32002', async (state) => {
    const { id } = await rpc.newTask();
    await agent.emit(id, state);
    const before = (await rpc.getTask(id)).result;
    expect((await rpc.cancelTask(id)).error.code).toBe(-32002);
    expect((await rpc.getTask(id)).result).toEqual(before);
  });

  it('C29 an unknown task is -32001', async () => {
    expect((await rpc.cancelTask('unknown')).error.code).toBe(-32001);
  });

  it(
    'C29 500 races against completion: the answer agrees with the task',
    async () => {
      const outcomes = await inParallel(races, 12, async (index) => {
        const { id } = await rpc.newTask();
        await agent.emit(id, 'working');
        const complete = (): Promise<number> => agent.emit(id, 'completed').then(({ status }) => status);
        const cancel = (): ReturnType<typeof rpc.cancelTask> => rpc.cancelTask(id);
        const [canceled, completed] =
          index % 2 === 0
            ? await Promise.all([cancel(), complete()])
            : await Promise.all([complete(), cancel()]).then(([one, two]) => [two, one] as const);
        const answered = canceled.code ?? canceled.result.status.state;
        const stored = (await rpc.getTask(id)).result.status.state;
        return `${String(answered)} ${String(completed)} ${stored}`;
      });
      const allowed = ['TASK_STATE_CANCELED 409 TASK_STATE_CANCELED', '-32002 200 TASK_STATE_COMPLETED'];
      expect([...new Set(outcomes)].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
    },
    heavyLimitMs,
  );

  it('C29 50 parallel cancels: one event, 50 equal answers, one certificate', async () => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'working');
    const answers = await inParallel(50, 50, () => rpc.cancelTask(id));
    const first = answers[0]?.result;
    expect(first?.status.state).toBe('TASK_STATE_CANCELED');
    for (const answer of answers) expect(answer.result).toEqual(first);
    expect(await canceledEvents(id)).toBe(1);
    const user = new LedgerApi(service, alice);
    const { cancellationId } = (await user.cancel(id, {})).body;
    const certificate = (await user.certificate(cancellationId)).body;
    expect(certificate).toMatchObject({
      cancellationId,
      rootTaskId: id,
      requestedBy: { principal: 'alice' },
    });
    // 49 of the parallel ones and the one just now.
    expect(certificate.repeats).toHaveLength(50);
  });

  it('C29 50 parallel cancels of the root of a tree: one cascade, one certificate, 49 repeats', async () => {
    const user = new LedgerApi(service, alice);
    const tree = await grow(
      user,
      agent,
      branch('P', [branch('A', leaves('A', 4)), branch('B', leaves('B', 4))]),
    );
    const answers = await inParallel(50, 50, (index) =>
      index % 2 === 0
        ? user.cancel(tree.root, { reason: String(index) }).then(({ body }) => body.state)
        : rpc.cancelTask(tree.root).then(({ result }) => result.status.state),
    );
    expect(new Set(answers)).toEqual(new Set(['TASK_STATE_CANCELED']));
    const cancellationId = (await user.row(tree.root)).body.cancellationId ?? '';
    const certificate = await settled(user, cancellationId);
    expect(certificate.repeats).toHaveLength(49);
    for (const { by } of certificate.repeats) expect(by).toMatchObject({ principal: 'alice', role: 'user' });
    expect(certificate.counts.canceled).toBe(tree.taskIds.length);
    for (const [taskId, ends] of await endsOf(user, tree.taskIds))
      expect([taskId, ends.map(({ data }) => data.cancellationId)]).toEqual([taskId, [cancellationId]]);
    const listed = (await user.cancellations(`rootTaskId=${tree.root}`)).body.cancellations;
    expect(listed.map((one) => one.cancellationId)).toEqual([cancellationId]);
  });
});
