import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  type Frame,
  isConnectionLost,
  LedgerApi,
  stateIn,
  streamResponse,
  useService,
  workerAgent,
} from '../support/index.js';

const openStreams = 50;

describe('C46 SIGTERM ends the process although clients listen', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it('C46 streams are closed, exit code 0, and clients resume without loss', async () => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'working');
    const streams = await Promise.all(Array.from({ length: openStreams }, () => rpc.subscribe(id)));
    const feed = await agent.feed('from=start');
    await feed.take(2);
    await Promise.all(streams.map((stream) => stream.take(1)));
    await agent.chunk(id, 'a1', ['one']);
    const seen = await Promise.all(streams.map(async (stream) => (await stream.take(1))[0]));

    expect(await service.terminate()).toEqual({ code: 0, signal: null });
    for (const stream of streams) expect(await readToEnd(stream)).toEqual([]);
    feed.destroy();

    await service.start();
    const resumed = await rpc.subscribe(id, { 'Last-Event-ID': seen[0]?.id ?? '' });
    const [snapshot] = await resumed.take(1);
    const task = snapshot === undefined ? undefined : streamResponse(snapshot).task;
    expect(task?.artifacts).toHaveLength(1);
    await agent.chunk(id, 'a1', ['two'], { append: true });
    await agent.emit(id, 'completed');
    const rest = await resumed.rest();
    expect(rest).toHaveLength(2);
    expect(rest.map(stateIn)).toEqual([undefined, 'TASK_STATE_COMPLETED']);
  });

  it('C46 a blocking send is not waited for', async () => {
    const contextId = 'blocking';
    const feed = await agent.feed('from=end&types=TaskSubmitted');
    const waiting = rpc.send('work', { contextId }).then(
      ({ http }) => http.status,
      () => 'connection lost' as const,
    );
    await feed.takeUntil(({ data }) => data.includes(contextId));
    expect(await service.terminate()).toEqual({ code: 0, signal: null });
    expect([200, 503, 'connection lost']).toContain(await waiting);
    await service.start();
    expect((await rpc.listTasks({ contextId })).result.totalSize).toBe(1);
  });
});

/** A stream that is cut is as good as one that is closed: what counts is that it ends. */
const readToEnd = async (stream: { rest(): Promise<Frame[]> }): Promise<Frame[]> => {
  try {
    return await stream.rest();
  } catch (error) {
    if (isConnectionLost(error)) return [];
    throw error;
  }
};
