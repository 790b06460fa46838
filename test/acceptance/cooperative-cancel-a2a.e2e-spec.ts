import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#domain';
import {
  A2aRpc,
  agentMessage,
  alice,
  branch,
  grow,
  ledgerExtension,
  LedgerApi,
  outcomesOf,
  settled,
  textsOf,
  useService,
  workerAgent,
} from '../support/index.js';

const shortestGraceMs = 1_000;
const longGraceMs = 600_000;

describe('a cooperative cancel over A2A', () => {
  const blockingTimeoutMs = 2_000;
  const service = useService({
    environment: {
      LEDGER_CANCEL_MODE: 'cooperative',
      LEDGER_BLOCKING_TIMEOUT_MS: String(blockingTimeoutMs),
    },
  });
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  const working = async (): Promise<string> => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'working', 'on it');
    return id;
  };
  const options = (more: JsonObject): JsonObject => ({ metadata: { [ledgerExtension]: more } });
  /** CancelTask is on its way, and the agent has been asked. */
  const asked = async (
    taskId: string,
    more: JsonObject,
  ): Promise<{ answer: ReturnType<typeof rpc.cancelTask> }> => {
    const feed = await agent.feed('from=end&types=CancellationRequested');
    const answer = rpc.cancelTask(taskId, options(more));
    await feed.takeUntil(({ data }) => data.includes(taskId));
    feed.destroy();
    return { answer };
  };

  it('CancelTask waits for the agent and returns the task as it is: canceled', async () => {
    const taskId = await working();
    const { answer } = await asked(taskId, { mode: 'cooperative', graceMs: longGraceMs });
    await agent.transition(taskId, { to: 'canceled', message: agentMessage('stopped') });
    const { status } = (await answer).result;
    expect([status.state, textsOf(status.message?.parts)]).toEqual(['TASK_STATE_CANCELED', ['stopped']]);
  });

  it('CancelTask returns the task as it is: completed, where the agent was quicker', async () => {
    const taskId = await working();
    const { answer } = await asked(taskId, { graceMs: longGraceMs });
    await agent.transition(taskId, { to: 'completed', result: 'the result' });
    const task = (await answer).result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textsOf(task.artifacts?.[0]?.parts)).toEqual(['the result']);
  });

  it('CancelTask returns the task as it is: working, when the agent declines', async () => {
    const taskId = await working();
    const { answer } = await asked(taskId, { graceMs: longGraceMs });
    await agent.decline(taskId);
    expect((await answer).result.status.state).toBe('TASK_STATE_WORKING');
  });

  it('CancelTask returns a task that was forced when its grace was over', async () => {
    const taskId = await working();
    const { status } = (await rpc.cancelTask(taskId, options({ graceMs: shortestGraceMs }))).result;
    // The grace and the wait end at one moment: the task is on its way to the end, if not there.
    expect(['TASK_STATE_CANCELED', 'TASK_STATE_WORKING']).toContain(status.state);
    const { cancellationId } = (await user.row(taskId)).body;
    expect((await settled(user, cancellationId ?? '')).counts.forced).toBe(1);
  });

  it('CancelTask waits no longer than the service lets a call wait, and says until when the task is asked', async () => {
    const taskId = await working();
    const task = (await rpc.cancelTask(taskId, options({ graceMs: longGraceMs }))).result;
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    const { cancellation, cancellationId } = (await user.row(taskId)).body;
    expect(task.metadata?.[ledgerExtension]).toMatchObject({ cancellationId, dueAt: cancellation?.dueAt });
  });

  it('LEDGER_CANCEL_MODE=cooperative asks where nothing is said; immediate can be asked for', async () => {
    const [one, two] = [await working(), await working()];
    const answer = await user.cancel(one, { graceMs: longGraceMs });
    expect(answer.body.state).toBe('TASK_STATE_WORKING');
    expect((await user.certificate(answer.body.cancellationId)).body.mode).toBe('cooperative');
    const now = await rpc.cancelTask(two, options({ mode: 'immediate' }));
    expect(now.result.status.state).toBe('TASK_STATE_CANCELED');
    expect((await user.cancel(two, { mode: 'immediate', graceMs: 5_000 })).problem.field).toContain(
      'graceMs',
    );
    expect((await rpc.cancelTask(one, options({ mode: 'immediate' }))).result.status.state).toBe(
      'TASK_STATE_CANCELED',
    );
  });

  it('cascade: false in the metadata of CancelTask leaves what is below alone', async () => {
    const tree = await grow(user, agent, branch('P', [branch('K')]));
    await rpc.cancelTask(tree.root, options({ mode: 'immediate', cascade: false, reason: 'P only' }));
    const { cancellationId } = (await user.row(tree.root)).body;
    const certificate = await settled(user, cancellationId ?? '');
    expect(certificate).toMatchObject({ cascade: false, reason: 'P only' });
    expect(outcomesOf(tree, certificate)).toEqual({ P: 'canceled' });
    expect((await user.row(tree.id('K'))).body.state).toBe('TASK_STATE_WORKING');
  });
});
