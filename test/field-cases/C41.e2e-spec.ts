import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, inParallel, LedgerApi, settled, useService, workerAgent } from '../support/index.js';

const rounds = 1_000;
const cancels = 200;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C41 created, and found', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it(
    'C41 1,000 times: a new task is got, listed, cancelled and got again at once',
    async () => {
      await inParallel(rounds, 12, async (index) => {
        const contextId = `c41-${String(index)}`;
        const { id } = await rpc.newTask('x', { contextId });
        expect((await rpc.getTask(id)).result.id).toBe(id);
        expect((await rpc.listTasks({ contextId })).result.tasks.map((task) => task.id)).toEqual([id]);
        expect((await rpc.cancelTask(id)).result.status.state).toBe('TASK_STATE_CANCELED');
        expect((await rpc.getTask(id)).result.status.state).toBe('TASK_STATE_CANCELED');
        if (index % 5 !== 0) return;
        const listed = (await rpc.listTasks({ contextId, status: 'TASK_STATE_CANCELED' })).result;
        expect([listed.totalSize, listed.tasks[0]?.id]).toEqual([1, id]);
      });
    },
    heavyLimitMs,
  );

  it('C41 a list waits for the position a write answered with, the last one of a batch', async () => {
    for (let index = 0; index < 50; index++) {
      const { id } = await rpc.newTask();
      const written = await agent.transition(id, { to: 'completed', result: { index } });
      const position = written.position ?? '';
      expect(position).toMatch(/^[a-z0-9]{8}-\d{20}$/);
      const listed = await agent.rows(`pageSize=1&status=completed`, { 'Ledger-Wait-For': position });
      expect(listed.body.rows[0]).toMatchObject({ taskId: id, revision: 2, result: { index } });
      expect((listed.position ?? '') >= position).toBe(true);
      expect(listed.headers.get('ledger-stale')).toBeNull();
    }
  });

  it.each(['', 'nonsense', 'abcdefgh-00000000000000000001', '12'])(
    'C41 a position that is none of this log is refused: %j',
    async (position) => {
      const answer = await agent.rows('pageSize=1', { 'Ledger-Wait-For': position });
      if (position === '') expect(answer.status).toBe(200);
      else expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
    },
  );

  it('C41 a certificate can be read from the moment its id was given out, and so can every list of it', async () => {
    const user = new LedgerApi(service, alice);
    await inParallel(cancels, 12, async (index) => {
      const parent = (await user.create()).body.taskId;
      const child = (await agent.create({ parent: { taskId: parent } })).body.taskId;
      if (index % 2 === 0) await agent.emit(parent, 'working');
      const descendantsOnly = index % 4 === 3;
      const canceled = await user.cancel(parent, { descendantsOnly });
      const { cancellationId } = canceled.body;
      const certificate = (await user.certificate(cancellationId)).body;
      expect(certificate).toMatchObject({ cancellationId, rootTaskId: parent });
      const waitFor = { 'Ledger-Wait-For': canceled.position ?? '' };
      const listed = await user.cancellations(`rootTaskId=${parent}`, waitFor);
      expect(listed.body.cancellations.map((one) => one.cancellationId)).toEqual([cancellationId]);
      if (!descendantsOnly)
        expect((await user.cancellationsOf(parent)).body).toMatchObject([{ cancellationId, path: [parent] }]);
      await settled(user, cancellationId);
      const below = (await user.cancellationsOf(child)).body;
      expect(below).toMatchObject([{ cancellationId, path: [parent, child], outcome: 'canceled' }]);
    });
  });

  it('C41 the id that CancelTask left on the task is known at once', async () => {
    const user = new LedgerApi(service, alice);
    await inParallel(cancels, 12, async () => {
      const { id } = await rpc.newTask();
      await rpc.cancelTask(id);
      const { cancellationId } = (await user.row(id)).body;
      expect((await user.certificate(cancellationId ?? '')).body.nodes).toMatchObject([
        { taskId: id, outcome: 'canceled' },
      ]);
      expect((await user.tree(id)).body).toMatchObject({ taskId: id, state: 'TASK_STATE_CANCELED' });
    });
  });
});
