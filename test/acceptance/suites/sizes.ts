import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  LedgerApi,
  type RunningService,
  streamResponse,
  userMessage,
  workerAgent,
} from '../../support/index.js';

/** A part that is a file of so many bytes. */
export const filePart = (bytes: number): { raw: string; filename: string } => ({
  raw: randomBytes(bytes).toString('base64'),
  filename: 'file.bin',
});

/** One limit wherever the events are: below it all is carried whole, above it nothing is stored. */
export const sizes = (service: RunningService): void => {
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const user = new LedgerApi(service, alice);

  it.each([90_000, 300_000, 700_000])('C39 a file of %d bytes is carried whole', async (bytes) => {
    const { id } = await rpc.newTask();
    const file = { artifactId: 'file', parts: [filePart(bytes)] };
    const watcher = await rpc.subscribe(id);
    await watcher.take(1);
    expect((await agent.record(id, { artifact: file, lastChunk: true })).status).toBe(200);
    await agent.emit(id, 'completed');
    const frames = (await watcher.rest()).map(streamResponse);
    expect(frames[0]?.artifactUpdate?.artifact).toEqual(file);
    expect((await rpc.getTask(id)).result.artifacts).toEqual([file]);
  });

  it.each([800_000, 2_200_000])('C39 a file of %d bytes is 413 and stores nothing', async (bytes) => {
    const { id } = await rpc.newTask();
    const part = filePart(bytes);
    const refused = await agent.record(id, { artifact: { artifactId: 'file', parts: [part] } });
    expect(refused.problem).toMatchObject({ status: 413, code: 'payload-too-large' });
    expect(refused.problem.limit).toEqual(expect.any(Number));
    const message = await user.message(id, { ...userMessage(''), parts: [part] });
    expect(message.problem).toMatchObject({ status: 413, code: 'payload-too-large' });
    expect(await agent.eventTypes(id)).toEqual(['TaskSubmitted']);

    const before = (await rpc.listTasks()).result.totalSize;
    const sent = await rpc.send('', { message: { parts: [part] } });
    expect(sent.error.code).toBe(-32602);
    expect((await rpc.listTasks()).result.totalSize).toBe(before);
  });
};
