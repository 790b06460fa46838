import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  agentMessage,
  alice,
  artifact,
  foldFrames,
  LedgerApi,
  streamResponse,
  useService,
  workerAgent,
} from '../support/index.js';

describe('history and artifacts are told whole and once', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const conversation = async (contextId: string): Promise<string> => {
    const { id } = await rpc.newTask('m1', { messageId: 'm1', contextId });
    for (const [messageId, to] of [
      ['s1', 'working'],
      ['s2', 'working'],
      ['s3', 'completed'],
    ] as const)
      await agent.transition(id, { to, message: agentMessage(messageId, { messageId }) });
    return id;
  };

  it.each([
    [{}, ['m1', 's1', 's2']],
    [{ historyLength: 1 }, ['s2']],
    [{ historyLength: 2 }, ['s1', 's2']],
    [{ historyLength: 99 }, ['m1', 's1', 's2']],
    [{ history_length: 2 }, ['s1', 's2']],
  ])('C09 GetTask %j shows the newest messages, the current one in the status only', async (params, ids) => {
    const task = (await rpc.getTask(await conversation(crypto.randomUUID()), params)).result;
    expect(task.history?.map(({ messageId }) => messageId)).toEqual(ids);
    expect(task.status.message?.messageId).toBe('s3');
  });

  it('C09 a history length of 0 leaves the history away; a negative one is refused', async () => {
    const id = await conversation('zero');
    expect((await rpc.getTask(id, { historyLength: 0 })).result).not.toHaveProperty('history');
    expect((await rpc.getTask(id, { historyLength: -1 })).error.code).toBe(-32602);
    const sent = await rpc.send('x', { configuration: { returnImmediately: true, historyLength: 0 } });
    expect(sent.result.task).not.toHaveProperty('history');
    const listed = (await rpc.listTasks({ contextId: 'zero', historyLength: 0 })).result.tasks;
    expect(listed).toHaveLength(1);
    expect(listed[0]).not.toHaveProperty('history');
    expect((await rpc.listTasks({ historyLength: -1 })).error.code).toBe(-32602);
  });

  it('C10 chunks of one artifact are one artifact, and live frames stay the chunks they were', async () => {
    const { id } = await rpc.newTask();
    const watcher = await rpc.subscribe(id);
    const [snapshot] = await watcher.take(1);
    await agent.chunk(id, 'a1', ['Hello']);
    await agent.chunk(id, 'b1', ['x']);
    await agent.chunk(id, 'a1', [' world'], { append: true });
    await agent.chunk(id, 'a1', ['!'], { append: true, lastChunk: true });
    await agent.emit(id, 'completed', 'done');

    const stored = (await rpc.getTask(id)).result;
    expect(stored.artifacts).toEqual([artifact('a1', ['Hello', ' world', '!']), artifact('b1', ['x'])]);
    const frames = (await watcher.rest()).map(streamResponse);
    expect(frames.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? [])).toEqual(
      ['Hello', 'x', ' world', '!'].map((text) => ({ text })),
    );
    expect(frames.map(({ artifactUpdate }) => artifactUpdate?.append ?? false)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(snapshot).toBeDefined();
    const first = snapshot === undefined ? {} : streamResponse(snapshot);
    expect(foldFrames([first, ...frames])).toEqual(stored);
  });

  it('C10 a chunk that does not append replaces the artifact in its place', async () => {
    const { id } = await rpc.newTask();
    await agent.chunk(id, 'a1', ['draft']);
    await agent.chunk(id, 'b1', ['x']);
    await agent.chunk(id, 'a1', ['final']);
    expect((await rpc.getTask(id)).result.artifacts).toEqual([
      artifact('a1', ['final']),
      artifact('b1', ['x']),
    ]);
  });

  it('C11 no chunk is lost in silence: not open, sealed and empty are refused by name', async () => {
    const { id } = await rpc.newTask();
    const notOpen = await agent.chunk(id, 'zz', ['lost?'], { append: true });
    expect([notOpen.status, notOpen.problem.code]).toEqual([422, 'artifact-not-open']);
    expect(notOpen.text).toContain('zz');
    expect(await agent.eventTypes(id)).toEqual(['TaskSubmitted']);

    await agent.chunk(id, 'a1', ['a'], { lastChunk: true });
    for (const append of [true, false]) {
      const sealed = await agent.chunk(id, 'a1', ['b'], { append });
      expect([sealed.status, sealed.problem.code]).toEqual([422, 'artifact-sealed']);
    }
    const empty = await agent.chunk(id, 'e1', []);
    expect([empty.status, empty.problem.code]).toEqual([400, 'invalid-request']);
    expect(empty.text).toContain('parts');
    expect(await agent.eventTypes(id)).toEqual(['TaskSubmitted', 'ArtifactRecorded']);
    expect((await rpc.getTask(id)).result.artifacts).toEqual([artifact('a1', ['a'])]);
  });
});
