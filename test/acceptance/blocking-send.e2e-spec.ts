import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, type EventFrames, LedgerApi, useService, workerAgent } from '../support/index.js';

const blockingTimeoutMs = 1_000;

describe('a blocking send', () => {
  const service = useService({ environment: { LEDGER_BLOCKING_TIMEOUT_MS: String(blockingTimeoutMs) } });
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const nextOn = async (feed: EventFrames): Promise<string> => {
    const [frame] = await feed.take(1);
    return (JSON.parse(frame?.data ?? '{}') as { taskId: string }).taskId;
  };

  it.each([
    ['completed', 'TASK_STATE_COMPLETED'],
    ['failed', 'TASK_STATE_FAILED'],
    ['rejected', 'TASK_STATE_REJECTED'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['auth-required', 'TASK_STATE_AUTH_REQUIRED'],
  ])('returns at %s', async (to, state) => {
    const feed = await agent.feed('types=TaskSubmitted&from=end');
    const sending = rpc.send('work');
    const id = await nextOn(feed);
    feed.destroy();
    await agent.emit(id, to, 'so');
    expect((await sending).result.task).toMatchObject({ id, status: { state } });
  });

  it('the state before its own message does not count', async () => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'input-required', 'first question');
    const feed = await agent.feed('types=MessageRecorded&from=end');
    const sending = rpc.send('first answer', { taskId: id });
    await nextOn(feed);
    feed.destroy();
    await agent.emit(id, 'working');
    await agent.emit(id, 'input-required', 'second question');
    const { task } = (await sending).result;
    expect(task.status.message?.parts).toEqual([{ text: 'second question' }]);
  });

  it('gives the current task when the time is over', async () => {
    const { task } = (await rpc.send('nobody works')).result;
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('returns when the task is cancelled', async () => {
    const feed = await agent.feed('types=TaskSubmitted&from=end');
    const sending = rpc.send('work');
    const id = await nextOn(feed);
    feed.destroy();
    await rpc.cancelTask(id);
    expect((await sending).result.task.status.state).toBe('TASK_STATE_CANCELED');
  });
});
