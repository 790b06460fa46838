import { describe, expect, it } from '@jest/globals';
import { A2aRpc, al2, alice, LedgerApi, userMessage, useService, workerAgent } from '../support/index.js';

describe('cancellation of one task', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  const newTask = async (): Promise<string> => (await user.create()).body.taskId;

  it('answers 202 with the id of a certificate that is there at once', async () => {
    const taskId = await newTask();
    const answer = await user.cancel(taskId, {
      reason: 'enough',
      metadata: { ticket: 'OPS-7' },
      cascade: false,
    });
    expect(answer.status).toBe(202);
    expect(answer.position).not.toBeNull();
    const { cancellationId, ...rest } = answer.body;
    expect(rest).toEqual({ taskId, state: 'TASK_STATE_CANCELED' });
    const certificate = await user.certificate(cancellationId);
    expect(certificate.body).toMatchObject({
      cancellationId,
      rootTaskId: taskId,
      status: 'running',
      requestedBy: { principal: 'alice', role: 'user', via: 'ledger-api' },
      mode: 'immediate',
      reason: 'enough',
      metadata: { ticket: 'OPS-7' },
      repeats: [],
    });
    expect(certificate.body.nodes).toEqual([
      expect.objectContaining({ taskId, depth: 0, outcome: 'canceled' }),
    ]);
  });

  it('the row of a cancelled task says by whom and names the cancellation', async () => {
    const taskId = await newTask();
    const { cancellationId } = (await user.cancel(taskId)).body;
    expect((await user.row(taskId)).body).toMatchObject({
      status: 'killed',
      stoppedBy: 'user',
      state: 'TASK_STATE_CANCELED',
      cancellationId,
    });
    expect(await user.eventTypes(taskId)).toEqual(['TaskSubmitted', 'TaskCanceled']);
  });

  it('asked again, also by somebody else, it is the first cancellation, and the repeat is noted', async () => {
    const taskId = await newTask();
    const { cancellationId } = (await operator.cancel(taskId, { reason: 'first' })).body;
    const again = await user.cancel(taskId, { reason: 'second' });
    expect([again.status, again.body.cancellationId]).toEqual([202, cancellationId]);
    const certificate = (await user.certificate(cancellationId)).body;
    expect(certificate.reason).toBe('first');
    expect(certificate.repeats).toHaveLength(1);
    expect(JSON.stringify(certificate.repeats[0]?.by)).toContain('alice');
    expect(await user.eventTypes(taskId)).toEqual(['TaskSubmitted', 'TaskCanceled']);
  });

  it('100 repeats are kept, more are not', async () => {
    const taskId = await newTask();
    const { cancellationId } = (await user.cancel(taskId)).body;
    for (let index = 0; index < 105; index++) await user.cancel(taskId);
    expect((await user.certificate(cancellationId)).body.repeats).toHaveLength(100);
  });

  it('a task that ended otherwise is 409', async () => {
    const taskId = await newTask();
    await agent.emit(taskId, 'completed');
    expect((await user.cancel(taskId)).problem).toMatchObject({
      status: 409,
      code: 'task-is-terminal',
      revision: 1,
    });
  });

  it('CancelTask keeps reason and metadata of the request', async () => {
    const taskId = await newTask();
    await rpc.cancelTask(taskId, { metadata: { reason: 'budget exceeded', ticket: 'OPS-7' } });
    const { cancellationId } = (await user.row(taskId)).body;
    const certificate = (await user.certificate(cancellationId ?? '')).body;
    expect(certificate).toMatchObject({
      reason: 'budget exceeded',
      requestedBy: { principal: 'alice', via: 'a2a-jsonrpc' },
    });
    expect(JSON.stringify(certificate)).toContain('OPS-7');
  });

  it.each([
    [{ mode: 'cooperative' }, 'mode'],
    [{ graceMs: 1_000 }, 'graceMs'],
    [{ dryRun: true }, 'dryRun'],
    [{ descendantsOnly: true }, 'descendantsOnly'],
    [{ cascade: 'yes' }, 'cascade'],
    [{ colour: 'red' }, 'colour'],
    [{ reason: 5 }, 'reason'],
  ])('%j is 400, names %s and cancels nothing', async (body, field) => {
    const taskId = await newTask();
    const answer = await user.cancel(taskId, body);
    expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(answer.problem.field).toContain(field);
    expect((await user.row(taskId)).body.state).toBe('TASK_STATE_SUBMITTED');
  });

  it.each(['ack', 'decline'])('%s is answered with 400 until it exists', async (verb) => {
    const taskId = await newTask();
    await user.cancel(taskId);
    const answer = await agent.post(`/tasks/${taskId}/cancellation/${verb}`, {});
    expect(answer.status).toBe(400);
  });

  it('an unknown cancellation is 404 of its own code', async () => {
    expect((await user.certificate('nope')).problem).toMatchObject({
      status: 404,
      code: 'cancellation-not-found',
    });
  });

  it('a cancelled task takes no message, and the late completion stays readable', async () => {
    const taskId = await newTask();
    await user.cancel(taskId);
    expect((await user.message(taskId, userMessage('more'))).problem.code).toBe('task-is-terminal');
    await agent.emit(taskId, 'completed', 'late');
    const [update] = await agent.late(taskId);
    expect(update).toMatchObject({
      taskId,
      attempted: 'transition',
      to: 'completed',
      state: 'canceled',
      revision: 1,
    });
    expect(JSON.stringify(update)).toContain('late');
  });

  it('late updates are kept to 100, each cut at 8 KiB', async () => {
    const taskId = await newTask();
    await user.cancel(taskId);
    await agent.emit(taskId, 'completed', 'x'.repeat(100_000));
    for (let index = 0; index < 105; index++)
      expect((await agent.emit(taskId, 'working', String(index))).status).toBe(409);
    const late = await agent.late(taskId);
    expect(late).toHaveLength(100);
    expect(JSON.stringify(late[0]).length).toBeLessThan(12_000);
  });

  it('certificates survive a restart', async () => {
    const taskId = await newTask();
    const { cancellationId } = (await user.cancel(taskId, { reason: 'enough' })).body;
    const before = (await user.certificate(cancellationId)).body;
    await service.restart();
    expect((await user.certificate(cancellationId)).body).toEqual(before);
  });
});
