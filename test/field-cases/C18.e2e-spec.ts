import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  EventFrames,
  inParallel,
  LedgerApi,
  stateIn,
  useService,
  workerAgent,
} from '../support/index.js';

const races = 1_000;
const racesInHand = 16;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C18 the final event cannot fall into the gap while subscribing', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  /** What a racer saw: the last state of its stream, or the error of a direct answer. */
  const race = async (jitterMs: number): Promise<string | number | undefined> => {
    const { id } = await rpc.newTask();
    const subscribing = rpc.trySubscribe(id);
    if (jitterMs > 0) await delay(jitterMs);
    const [seen, written] = await Promise.all([subscribing, agent.emit(id, 'completed')]);
    expect(written.status).toBe(200);
    if (!(seen instanceof EventFrames)) return seen.error.code;
    return (await seen.rest()).map(stateIn).at(-1);
  };

  it(
    'C18 1,000 races end with the final state, or with a direct -32004',
    async () => {
      const seen = await inParallel(races, racesInHand, (index) => race(index % 4));
      const allowed = new Set<string | number | undefined>(['TASK_STATE_COMPLETED', -32004]);
      expect(seen.filter((outcome) => !allowed.has(outcome))).toEqual([]);
      // Not a race at all if nobody ever got a stream.
      expect(seen).toContain('TASK_STATE_COMPLETED');
    },
    heavyLimitMs,
  );

  it('C18 an ended task is a direct JSON error, before and after a restart; an unknown one too', async () => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'completed');
    const expectDirect = async (taskId: string, code: number): Promise<void> => {
      const answer = await rpc.trySubscribe(taskId);
      if (answer instanceof EventFrames) throw new Error('expected a plain answer, got a stream');
      expect(answer.error.code).toBe(code);
      expect(answer.http.headers.get('content-type')).toMatch(/^application\/json/);
    };
    await expectDirect(id, -32004);
    await expectDirect('never-existed', -32001);
    await service.restart();
    await expectDirect(id, -32004);
    await expectDirect('never-existed', -32001);
  });
});
