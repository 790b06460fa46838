import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { sendParams } from '../support/a2a-rpc.js';
import {
  A2aRpc,
  alice,
  callerHeaders,
  eventually,
  foldFrames,
  inParallel,
  LedgerApi,
  stateIn,
  streamResponse,
  useService,
  workerAgent,
} from '../support/index.js';

const tasksInHand = 8;

describe('C08 a client that hangs up has no influence on its task', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const expectFinished = async (taskId: string): Promise<void> => {
    const task = (await rpc.getTask(taskId)).result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toEqual([{ artifactId: 'a1', parts: [{ text: 'the result' }] }]);
    expect(await agent.eventTypes(taskId)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'ArtifactRecorded',
      'TaskCompleted',
    ]);
  };
  const finish = async (taskId: string): Promise<void> => {
    expect((await agent.chunk(taskId, 'a1', ['the result'])).status).toBe(200);
    expect((await agent.emit(taskId, 'completed', 'done')).status).toBe(200);
  };

  it('C08 200 clients gone after the second frame: 200 results', async () => {
    const ids = await inParallel(200, tasksInHand, async (index) => {
      const stream = await rpc.stream(`work ${String(index)}`);
      const [first] = await stream.take(1);
      const id = first === undefined ? undefined : streamResponse(first).task?.id;
      if (id === undefined) throw new Error('the first frame must be the task');
      await agent.emit(id, 'working');
      await stream.take(1);
      stream.destroy();
      await finish(id);
      return id;
    });
    expect(new Set(ids).size).toBe(200);
    for (const id of ids.filter((_, index) => index % 20 === 0)) await expectFinished(id);
    const completed = await rpc.listTasks({ status: 'TASK_STATE_COMPLETED', pageSize: 1 });
    expect(completed.result.totalSize).toBe(200);
  });

  it('C08 a second watcher receives everything', async () => {
    const stream = await rpc.stream('work');
    const [first] = await stream.take(1);
    const id = first === undefined ? '' : (streamResponse(first).task?.id ?? '');
    const watcher = await rpc.subscribe(id);
    await watcher.take(1).then((frames) => expect(frames.map(stateIn)).toEqual(['TASK_STATE_SUBMITTED']));
    await agent.emit(id, 'working');
    await stream.take(1);
    stream.destroy();
    await finish(id);
    const frames = (await watcher.rest()).map(streamResponse);
    expect(frames).toHaveLength(3);
    const submitted = { id, contextId: '', status: { state: 'TASK_STATE_SUBMITTED' } };
    expect(foldFrames([{ task: submitted }, ...frames])).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'a1', parts: [{ text: 'the result' }] }],
    });
    await expectFinished(id);
  });

  it('C08 clients gone before the first frame: their tasks live on', async () => {
    const contexts = Array.from({ length: 40 }, (_, index) => `gone-${String(index)}`);
    await inParallel(contexts.length, tasksInHand, (index) =>
      sendAndLeave(rpc.endpoint, contexts[index] ?? ''),
    );
    for (const contextId of contexts) {
      const id = await eventually(`the task of ${contextId}`, async () => {
        return (await rpc.listTasks({ contextId })).result.tasks[0]?.id;
      });
      await agent.emit(id, 'working');
      await finish(id);
      await expectFinished(id);
    }
  });
});

/** Writes a whole SendStreamingMessage and destroys the socket before an answer can come. */
const sendAndLeave = (endpoint: string, contextId: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: sendParams('work', { contextId }),
    });
    const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...callerHeaders(alice) };
    const outgoing = request(endpoint, { method: 'POST', headers, agent: false });
    outgoing.once('error', (error) => {
      reject(error);
    });
    outgoing.once('socket', (socket) => {
      socket.once('connect', () => {
        outgoing.end(body, () => {
          outgoing.removeAllListeners('error');
          outgoing.on('error', () => undefined);
          socket.end(() => {
            socket.destroy();
            resolve();
          });
        });
      });
    });
  });
