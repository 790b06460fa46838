import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  agentMessage,
  al2,
  alice,
  branch,
  endsOf,
  grow,
  LedgerApi,
  lineOf,
  rebuildAll,
  settled,
  useService,
  whenWorkers,
  workerAgent,
} from '../support/index.js';

const lateStates = [
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'rejected',
  'canceled',
  'stopped',
] as const;
const terminalTypes = new Set(['TaskCanceled', 'TaskCompleted', 'TaskFailed', 'TaskRejected', 'TaskStopped']);

describe('C04 the first terminal state is the last', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  const endings = {
    canceled: async (taskId: string) => {
      expect((await rpc.cancelTask(taskId)).result.status.state).toBe('TASK_STATE_CANCELED');
    },
    failed: async (taskId: string) => {
      expect((await agent.emit(taskId, 'failed', 'broke')).status).toBe(200);
    },
    rejected: async (taskId: string) => {
      expect((await agent.emit(taskId, 'rejected', 'no')).status).toBe(200);
    },
    completed: async (taskId: string) => {
      expect((await agent.emit(taskId, 'completed', 'done')).status).toBe(200);
    },
  };

  const lateWrite = async (taskId: string, to: string): Promise<void> => {
    const answer = await agent.transition(taskId, {
      to,
      message: agentMessage(`late ${to}`),
      ...(to === 'stopped' ? { stoppedBy: 'operator' } : {}),
    });
    expect(answer.status).toBe(409);
    expect(answer.problem.code).toBe('task-is-terminal');
    expect(answer.problem.state).toEqual(expect.any(String));
    expect(answer.problem.revision).toEqual(expect.any(Number));
  };

  it.each(Object.keys(endings) as (keyof typeof endings)[])(
    'C04 after %s every other state is refused, kept apart and never shown',
    async (first) => {
      const { id } = await rpc.newTask();
      await agent.emit(id, 'working', 'on it');
      await endings[first](id);
      const ended = (await rpc.getTask(id)).result;
      const types = await agent.eventTypes(id);

      for (const to of lateStates) await lateWrite(id, to);
      const chunk = await agent.chunk(id, 'late', ['too late']);
      expect(chunk.problem.code).toBe('task-is-terminal');

      expect((await rpc.getTask(id)).result).toEqual(ended);
      expect(await agent.eventTypes(id)).toEqual(types);
      expect(types.filter((type) => terminalTypes.has(type))).toHaveLength(1);
      expect(terminalTypes.has(types.at(-1) ?? '')).toBe(true);
      const late = await agent.late(id);
      expect(late.map(({ attempted, to, artifactId }) => [attempted, to ?? artifactId])).toEqual([
        ...lateStates.map((to) => ['transition', to]),
        ['artifact', 'late'],
      ]);
    },
  );

  it('C04 views rebuilt from scratch show the first terminal state', async () => {
    const before = (await rpc.listTasks({ historyLength: 10, includeArtifacts: true })).result;
    expect(before.totalSize).toBe(4);
    await rebuildAll(operator);
    expect((await rpc.listTasks({ historyLength: 10, includeArtifacts: true })).result.tasks).toEqual(
      before.tasks,
    );
  });

  it('C04 the same terminal state told again without a word changes nothing', async () => {
    for (const state of ['completed', 'failed', 'rejected'] as const) {
      const { id } = await rpc.newTask();
      await agent.emit(id, state, 'the end');
      const again = await agent.transition(id, { to: state });
      expect(again.status).toBe(200);
      expect(again.body.revision).toBe(1);
      expect(await agent.late(id)).toEqual([]);
    }
  });

  it('C04 below a cascade a late finish is refused, kept apart and noted in the certificate', async () => {
    const user = new LedgerApi(service, alice);
    const tree = await grow(user, agent, branch('P', [branch('K', [branch('G')])]));
    const { cancellationId } = (await user.cancel(tree.root)).body;
    await settled(user, cancellationId);
    const below = ['K', 'G'].map((name) => tree.id(name));
    const ended = await Promise.all(below.map(async (id) => (await rpc.getTask(id)).result));
    for (const taskId of below) for (const to of lateStates) await lateWrite(taskId, to);
    expect((await agent.chunk(tree.id('G'), 'late', ['too late'])).problem.code).toBe('task-is-terminal');

    expect(await Promise.all(below.map(async (id) => (await rpc.getTask(id)).result))).toEqual(ended);
    for (const [taskId, ends] of await endsOf(user, tree.taskIds))
      expect([taskId, ends.map(({ type, data }) => [type, data.cancellationId])]).toEqual([
        taskId,
        [['TaskCanceled', cancellationId]],
      ]);
    expect(await agent.late(tree.id('K'))).toHaveLength(lateStates.length);
    expect(await agent.late(tree.id('G'))).toHaveLength(lateStates.length + 1);
    const certificate = await whenWorkers(user, cancellationId, { wroteLate: 2, unnotified: 1 });
    for (const taskId of below) expect(lineOf(certificate, taskId).worker).toBe('wroteLate');
    await rebuildAll(operator);
    const listed = (await rpc.listTasks({ pageSize: 100, includeArtifacts: true })).result.tasks;
    expect(listed.filter(({ id }) => below.includes(id))).toHaveLength(2);
    for (const task of ended)
      expect(listed).toContainEqual(expect.objectContaining({ id: task.id, status: task.status }));
  });
});
