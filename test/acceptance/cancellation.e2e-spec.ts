import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  bob,
  foreignAgent,
  ledgerExtension,
  LedgerApi,
  mallory,
  settled,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

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
      requestedBy: { principal: 'alice', role: 'user', via: 'ledger-api' },
      mode: 'immediate',
      cascade: false,
      reason: 'enough',
      metadata: { ticket: 'OPS-7' },
      repeats: [],
    });
    expect(certificate.body.nodes).toEqual([
      expect.objectContaining({ taskId, depth: 0, outcome: 'canceled' }),
    ]);
  });

  it('of a task that nobody had taken up it is settled and confirmed by itself', async () => {
    const taskId = await newTask();
    const { cancellationId } = (await user.cancel(taskId)).body;
    const certificate = await settled(user, cancellationId, 'confirmed');
    expect(certificate).toMatchObject({
      status: 'confirmed',
      counts: { canceled: 1 },
      workers: { none: 1 },
      survivors: [],
      unconfirmed: [],
    });
    const { requestedAt, settledAt = '', confirmedAt = '' } = certificate;
    expect([requestedAt, settledAt, confirmedAt].sort()).toEqual([requestedAt, settledAt, confirmedAt]);
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
    expect(certificate.repeats.map(({ by }) => by.principal)).toEqual(['alice']);
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

  it('a long reason stands whole on the root and in the certificate, its beginning on what is below', async () => {
    const [taskId, reason] = [await newTask(), 'r'.repeat(3_000)];
    const child = (await agent.create({ parent: { taskId } })).body.taskId;
    const { cancellationId } = (await user.cancel(taskId, { reason, metadata: { ticket: 'OPS-8' } })).body;
    expect((await settled(user, cancellationId)).reason).toBe(reason);
    const reasonOf = async (id: string): Promise<unknown> => {
      const end = (await user.events(id)).body.events.at(-1)?.data as {
        content: { body: { reason: string; metadata?: unknown } };
      };
      return [end.content.body.reason.length, end.content.body.metadata];
    };
    expect(await reasonOf(taskId)).toEqual([3_000, { ticket: 'OPS-8' }]);
    expect(await reasonOf(child)).toEqual([1_024, undefined]);
  });

  it.each([
    [{ mode: 'gently' }, 'mode'],
    [{ mode: 1 }, 'mode'],
    [{ graceMs: 5_000 }, 'graceMs'],
    [{ mode: 'immediate', graceMs: 5_000 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 999 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 86_400_001 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 1_000.5 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: '5000' }, 'graceMs'],
    [{ descendantsOnly: true, cascade: false }, 'cascade'],
    [{ descendantsOnly: 'yes' }, 'descendantsOnly'],
    [{ dryRun: 'no' }, 'dryRun'],
    [{ dryRun: true, mode: 'gently' }, 'mode'],
    [{ dryRun: true, graceMs: 5_000 }, 'graceMs'],
    [{ cascade: 'yes' }, 'cascade'],
    [{ metadata: ['a list'] }, 'metadata'],
    [{ colour: 'red' }, 'colour'],
    [{ reason: 5 }, 'reason'],
  ])('%j is 400, names %s and stores nothing', async (body, field) => {
    const taskId = await newTask();
    await agent.emit(taskId, 'working');
    const child = (await agent.create({ parent: { taskId } })).body.taskId;
    const before = (await user.events(taskId)).body.events;
    const answer = await user.cancel(taskId, body);
    expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(answer.problem.field).toContain(field);
    expect((await user.events(taskId)).body.events).toEqual(before);
    expect(await user.eventTypes(child)).toEqual(['TaskSubmitted']);
    expect((await user.cancellations(`rootTaskId=${taskId}`)).body.cancellations).toEqual([]);
  });

  it('nodesAfter goes on with a dry run only', async () => {
    const taskId = await newTask();
    const answer = await user.post(`/tasks/${taskId}/cancellation?nodesAfter=${taskId}`, {});
    expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request', field: 'nodesAfter' });
    expect((await user.row(taskId)).body.state).toBe('TASK_STATE_SUBMITTED');
  });

  it.each([
    [{ mode: 'gently' }, 'mode'],
    [{ graceMs: 5_000 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 999 }, 'graceMs'],
    [{ cascade: 'no' }, 'cascade'],
  ])('CancelTask refuses the options %j with -32602, names %s and stores nothing', async (options, field) => {
    const taskId = await newTask();
    await agent.emit(taskId, 'working');
    const { error } = await rpc.cancelTask(taskId, { metadata: { [ledgerExtension]: options } });
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error)).toContain(field);
    expect(await user.eventTypes(taskId)).toEqual(['TaskSubmitted', 'TaskStarted']);
  });

  it('to others, ack, decline, dry run and every form of a certificate say: there is no such thing', async () => {
    const taskId = await newTask();
    await agent.emit(taskId, 'working');
    const { cancellationId } = (await user.cancel(taskId, { mode: 'cooperative' })).body;
    const before = (await user.events(taskId)).body.events;
    for (const caller of [bob, mallory, foreignAgent]) {
      const other = new LedgerApi(service, caller);
      for (const answer of [
        await other.cancel(taskId),
        await other.cancel(taskId, { descendantsOnly: true }),
        await other.planCancellation(taskId),
        await other.acknowledge(taskId),
        await other.decline(taskId),
        await other.cancellationsOf(taskId),
        await other.whyAs(taskId, 'text'),
      ])
        expect([answer.status, answer.problem.code]).toEqual([404, 'task-not-found']);
      for (const query of ['', 'format=text', 'format=mermaid', 'wait=settled&timeoutMs=10'])
        expect((await other.certificate(cancellationId, query)).problem).toMatchObject({
          status: 404,
          code: 'cancellation-not-found',
        });
      expect((await other.cancellations()).body.cancellations).toEqual([]);
      expect((await other.cancellations(`rootTaskId=${taskId}`)).body.cancellations).toEqual([]);
    }
    expect((await user.events(taskId)).body.events).toEqual(before);
  });

  it('a user may neither acknowledge nor decline, an agent may not cancel: 403, and an operator may do all of it', async () => {
    const taskId = await newTask();
    await agent.emit(taskId, 'working');
    for (const body of [{}, { dryRun: true }, { descendantsOnly: true }])
      expect((await agent.cancel(taskId, body)).problem).toMatchObject({ status: 403, code: 'forbidden' });
    await user.cancel(taskId, { mode: 'cooperative' });
    for (const answer of [await user.acknowledge(taskId), await user.decline(taskId)])
      expect(answer.problem).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await operator.decline(taskId)).status).toBe(200);
    const { cancellationId } = (await operator.cancel(taskId)).body;
    expect((await operator.acknowledge(taskId)).body).toEqual({ cancellationId });
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

  it('a cancel repeated under its idempotency key is one cancellation and no repeat', async () => {
    const taskId = await newTask();
    const key = { 'Idempotency-Key': 'cancel-once' };
    const first = (await user.cancel(taskId, { reason: 'once' }, key)).body;
    expect((await user.cancel(taskId, { reason: 'once' }, key)).body).toEqual(first);
    expect((await user.certificate(first.cancellationId)).body.repeats).toEqual([]);
    expect((await user.cancel(taskId, { reason: 'other' }, key)).problem.code).toBe('idempotency-conflict');

    const below = { 'Idempotency-Key': 'below-once' };
    const one = (await user.cancel(taskId, { descendantsOnly: true }, below)).body;
    expect((await user.cancel(taskId, { descendantsOnly: true }, below)).body).toEqual(one);
    const another = (await user.cancel(taskId, { descendantsOnly: true })).body;
    expect(another.cancellationId).not.toBe(one.cancellationId);
  });

  it('certificates survive a restart', async () => {
    const taskId = await newTask();
    const { cancellationId } = (await user.cancel(taskId, { reason: 'enough' })).body;
    await settled(user, cancellationId);
    const before = (await user.certificate(cancellationId)).body;
    await service.restart();
    expect((await user.certificate(cancellationId)).body).toEqual(before);
  });
});
