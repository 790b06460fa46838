import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, LedgerApi, stateIn, useService, workerAgent } from '../support/index.js';

describe('C05 messages that must be refused are refused', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const endings: Record<string, (taskId: string) => Promise<unknown>> = {
    completed: (taskId) => agent.emit(taskId, 'completed'),
    failed: (taskId) => agent.emit(taskId, 'failed'),
    rejected: (taskId) => agent.emit(taskId, 'rejected'),
    canceled: (taskId) => rpc.cancelTask(taskId),
  };

  it.each(Object.keys(endings))('C05 a follow-up to a %s task is -32004', async (state) => {
    const { id } = await rpc.newTask();
    await endings[state]?.(id);
    const types = await agent.eventTypes(id);
    expect((await rpc.send('more', { taskId: id })).error.code).toBe(-32004);
    expect(await agent.eventTypes(id)).toEqual(types);
  });

  it('C05 an id that the server never gave out is -32001 and makes no task', async () => {
    const before = (await rpc.listTasks()).result.totalSize;
    expect((await rpc.send('hello', { taskId: 'made-up-1' })).error.code).toBe(-32001);
    const after = (await rpc.listTasks()).result;
    expect(after.totalSize).toBe(before);
    expect(after.tasks.map(({ id }) => id)).not.toContain('made-up-1');
  });

  it('C05 the context of another task is -32602', async () => {
    const [second, third] = [await rpc.newTask(), await rpc.newTask()];
    const answer = await rpc.send('hello', { taskId: second.id, contextId: third.contextId });
    expect(answer.error.code).toBe(-32602);
  });

  it('C05 a follow-up without a context takes that of its task', async () => {
    const task = await rpc.newTask();
    await agent.emit(task.id, 'input-required', 'which one?');
    const answer = await rpc.send('that one', {
      taskId: task.id,
      configuration: { returnImmediately: true },
    });
    expect(answer.result.task).toMatchObject({ id: task.id, contextId: task.contextId });
  });

  it('C05 a stream is refused with a plain error, not inside a stream', async () => {
    const ended = await rpc.newTask();
    await agent.emit(ended.id, 'completed');
    const open = await rpc.newTask();
    const send = (
      taskId: string,
      contextId?: string,
    ): Promise<{ code: number; contentType: string | null }> =>
      rpc
        .call('SendStreamingMessage', {
          message: {
            messageId: crypto.randomUUID(),
            role: 'ROLE_USER',
            parts: [{ text: 'x' }],
            taskId,
            ...(contextId === undefined ? {} : { contextId }),
          },
        })
        .then(({ error, http }) => ({ code: error.code, contentType: http.headers.get('content-type') }));
    const json = expect.stringMatching(/^application\/json/);
    expect(await send(ended.id)).toEqual({ code: -32004, contentType: json });
    expect(await send('made-up-2')).toEqual({ code: -32001, contentType: json });
    expect(await send(open.id, ended.contextId)).toEqual({ code: -32602, contentType: json });
  });

  it('C06 a refused message leaves no event, no history and no frame', async () => {
    const task = await rpc.newTask();
    await agent.emit(task.id, 'input-required', 'which one?');
    const before = (await rpc.getTask(task.id)).result;
    const events = (await agent.events(task.id)).body.events;
    const watcher = await rpc.subscribe(task.id);
    await watcher.take(1);

    const refused = await rpc.send('secret', { taskId: task.id, contextId: 'ctx-of-someone-else' });
    expect(refused.error.code).toBe(-32602);

    expect((await agent.events(task.id)).body.events).toEqual(events);
    expect((await rpc.getTask(task.id)).result).toEqual(before);
    await agent.emit(task.id, 'completed', 'done');
    const frames = await watcher.rest();
    expect(frames.map(stateIn)).toEqual(['TASK_STATE_COMPLETED']);
  });
});
