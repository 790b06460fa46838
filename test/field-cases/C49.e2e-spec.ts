import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, LedgerApi, userMessage, useService, workerAgent } from '../support/index.js';

const states = ['submitted', 'working', 'input-required', 'auth-required', 'completed', 'failed'] as const;

describe('C49 a restart changes no state', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it('C49 every task stands where it stood, and whoever works on it goes on', async () => {
    const ids: string[] = [];
    for (const state of states) {
      const { id } = await rpc.newTask(`will be ${state}`);
      if (state !== 'submitted') await agent.emit(id, state, 'so far');
      ids.push(id);
    }
    const before = await Promise.all(ids.map(async (id) => (await rpc.getTask(id)).result));
    await service.restart();
    expect(await Promise.all(ids.map(async (id) => (await rpc.getTask(id)).result))).toEqual(before);
    expect((await rpc.listTasks({ pageSize: 1 })).result.totalSize).toBe(states.length);

    const [, working, parked] = ids;
    expect((await agent.emit(working ?? '', 'completed', 'done after all')).status).toBe(200);
    expect((await user.message(parked ?? '', userMessage('the answer'))).status).toBe(200);
    expect((await agent.emit(parked ?? '', 'working')).body.state).toBe('TASK_STATE_WORKING');
  });

  it('C49 a blocking client that lost its service finds its task', async () => {
    const contextId = 'waiting';
    const waiting = rpc.send('work', { contextId, metadata: { note: 'blocking' } }).then(
      () => 'answered' as const,
      () => 'connection lost' as const,
    );
    const feed = await agent.feed('from=start&types=TaskSubmitted');
    await feed.takeUntil(({ data }) => data.includes('"waiting"'));
    feed.destroy();
    await service.restart();
    expect(await waiting).toBe('connection lost');
    const [task] = (await rpc.listTasks({ contextId })).result.tasks;
    expect(task?.status.state).toBe('TASK_STATE_SUBMITTED');
    await agent.emit(task?.id ?? '', 'completed', 'done');
    expect((await rpc.getTask(task?.id ?? '')).result.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
