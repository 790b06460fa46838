import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  artifact,
  LedgerApi,
  streamResponse,
  useService,
  workerAgent,
} from '../support/index.js';

const valid = 'ok 😀 שלום e\u0301 \u2028 \\ " </script>';
const refused = ['a\u0000b', 'x\ud83dy', '\udc00'];

describe('C13 text is stored as it came, or refused at the door', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it('C13 valid text survives send, store, get, list, stream, replay and restart', async () => {
    const metadata = { [valid]: valid };
    const sent = await rpc.newTask(valid, { contextId: `ctx ${valid}`, message: { metadata } });
    const watcher = await rpc.subscribe(sent.id);
    await watcher.take(1);
    const named = artifact('a1', [valid], { name: valid });
    await agent.record(sent.id, { artifact: named });
    await agent.emit(sent.id, 'completed', valid);

    const frames = (await watcher.rest()).map(streamResponse);
    expect(frames[0]?.artifactUpdate?.artifact).toEqual(named);
    expect(frames[1]?.statusUpdate?.status.message?.parts).toEqual([{ text: valid }]);
    const task = (await rpc.getTask(sent.id)).result;
    expect(task.contextId).toBe(`ctx ${valid}`);
    expect(task.history?.[0]).toMatchObject({ parts: [{ text: valid }], metadata });
    expect(task.artifacts).toEqual([named]);
    const listed = await rpc.listTasks({ contextId: `ctx ${valid}`, includeArtifacts: true });
    expect(listed.result.tasks[0]?.artifacts).toEqual([named]);

    await service.restart();
    expect((await rpc.getTask(sent.id)).result).toEqual(task);
    expect((await agent.replay(sent.id)).body.task).toEqual(task);
  });

  it.each(refused)('C13 NUL and half surrogates are refused, and nothing is half stored: %j', async (bad) => {
    const before = (await rpc.listTasks()).result.totalSize;
    const attempts = [
      rpc.send(bad),
      rpc.send('x', { contextId: bad }),
      rpc.send('x', { messageId: bad }),
      rpc.send('x', { message: { metadata: { [bad]: 1 } } }),
      rpc.send('x', { metadata: { a: { b: [bad] } } }),
    ];
    for (const answer of await Promise.all(attempts)) expect(answer.error.code).toBe(-32602);
    expect((await rpc.listTasks()).result.totalSize).toBe(before);

    const { id } = await rpc.newTask();
    for (const answer of [
      await agent.emit(id, 'working', bad),
      await agent.record(id, { artifact: artifact('a', [bad]) }),
      await agent.record(id, { artifact: artifact('a', ['x'], { name: bad }) }),
      await agent.record(id, { artifact: artifact(bad, ['x']) }),
    ])
      expect([answer.status, answer.problem.code]).toEqual([400, 'invalid-request']);
    expect(await agent.eventTypes(id)).toEqual(['TaskSubmitted']);
  });

  it('C13 an id of 10 kB is refused', async () => {
    const long = 'x'.repeat(10_000);
    expect((await rpc.send('x', { messageId: long })).error.code).toBe(-32602);
    expect((await rpc.send('x', { contextId: long })).error.code).toBe(-32602);
    expect((await rpc.getTask(long)).error.code).toBe(-32602);
    expect((await agent.row(long)).status).toBe(400);
  });
});
