import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  EventFrames,
  foldFrames,
  type Frame,
  LedgerApi,
  stateIn,
  streamResponse,
  textsOf,
  useService,
  workerAgent,
} from '../support/index.js';

describe('C17 nothing is lost between disconnect and resubscribe', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const chunk = (id: string, number: number): Promise<unknown> =>
    agent.chunk(id, 'a1', [String(number)], { append: number > 1 });
  const chunkOf = (frame: Frame): unknown => textsOf(streamResponse(frame).artifactUpdate?.artifact.parts)[0];

  it.each(['the connection drops', 'the service is killed'])('C17 %s: the log is the queue', async (what) => {
    const { id } = await rpc.newTask();
    const first = await rpc.subscribe(id);
    await first.take(1);
    await chunk(id, 1);
    await chunk(id, 2);
    const [, second] = await first.take(2);
    expect(second?.id).toBe(`${id}.2`);
    first.destroy();
    await chunk(id, 3);
    if (what === 'the service is killed') await service.restart();
    await chunk(id, 4);

    const resumed = await rpc.subscribe(id, { 'Last-Event-ID': second?.id ?? '' });
    const fresh = await rpc.subscribe(id);
    const [resumedSnapshot] = await resumed.take(1);
    const [freshSnapshot] = await fresh.take(1);
    await chunk(id, 5);
    await agent.emit(id, 'completed');

    const resumedRest = await resumed.rest();
    expect(resumedRest.map(chunkOf)).toEqual(['3', '4', '5', undefined]);
    expect(resumedRest.map(stateIn).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(new Set(resumedRest.map((frame) => frame.id)).size).toBe(4);
    const freshRest = await fresh.rest();
    expect(freshRest.map(chunkOf)).toEqual(['5', undefined]);
    const stored = (await rpc.getTask(id)).result;
    for (const [snapshot, rest] of [
      [resumedSnapshot, resumedRest],
      [freshSnapshot, freshRest],
    ] as const) {
      if (snapshot === undefined) throw new Error('the first frame must be the task');
      expect(foldFrames([snapshot, ...rest].map(streamResponse))).toEqual(stored);
    }
  });

  it('C17 on an ended task a known id gets the rest, then the close', async () => {
    const { id } = await rpc.newTask();
    await chunk(id, 1);
    await chunk(id, 2);
    await agent.emit(id, 'completed');
    const resumed = await rpc.subscribe(id, { 'Last-Event-ID': `${id}.1` });
    const [snapshot, ...rest] = await resumed.rest();
    expect(snapshot === undefined ? undefined : stateIn(snapshot)).toBe('TASK_STATE_SUBMITTED');
    expect(rest.map(chunkOf)).toEqual(['2', undefined]);
    expect(rest.map(stateIn).at(-1)).toBe('TASK_STATE_COMPLETED');
  });

  it('C17 an unknown or foreign id gets a full snapshot, never silence', async () => {
    const [one, other] = [await rpc.newTask(), await rpc.newTask()];
    await agent.emit(one.id, 'working');
    for (const lastEventId of ['nonsense', `${other.id}.0`, `${one.id}.99`, `${one.id}.x`]) {
      const stream = await rpc.trySubscribe(one.id, { 'Last-Event-ID': lastEventId });
      if (!(stream instanceof EventFrames)) throw new Error('expected a stream');
      expect((await stream.take(1)).map(stateIn)).toEqual(['TASK_STATE_WORKING']);
      stream.destroy();
    }
  });
});
