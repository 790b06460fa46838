import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  type Answer,
  bob,
  callerHeaders,
  foreignAgent,
  httpRequest,
  LedgerApi,
  mallory,
  type TestCaller,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

describe('C44 who may see and do what', () => {
  const service = useService();
  const as = (caller: TestCaller): LedgerApi => new LedgerApi(service, caller);
  const rpcAs = (caller: TestCaller): A2aRpc => new A2aRpc(service, caller);
  let taskId = '';
  let contextId = '';
  let cancellationId = '';
  let canceledId = '';

  beforeAll(async () => {
    const task = await rpcAs(alice).newTask('private', { contextId: 'secret-context' });
    [taskId, contextId] = [task.id, task.contextId];
    await as(workerAgent).emit(taskId, 'working', 'private too');
    canceledId = (await rpcAs(alice).newTask()).id;
    cancellationId = (await as(alice).cancel(canceledId)).body.cancellationId;
  });

  const strangers: [string, TestCaller][] = [
    ['another tenant', mallory],
    ['an agent of another tenant', foreignAgent],
    ['another user of the tenant', bob],
  ];

  /** Every path to a task over JSON-RPC. */
  const rpcPaths = async (rpc: A2aRpc, id: string): Promise<unknown[]> => {
    const answers = [
      await rpc.getTask(id),
      await rpc.cancelTask(id),
      await rpc.call('SubscribeToTask', { id }),
      await rpc.send('let me in', { taskId: id }),
      await rpc.call('GetTask', { id, tenant: 'acme' }),
      await rpc.call('CancelTask', { id, tenant: 'acme' }),
    ];
    return answers.map(({ json }) => JSON.parse(JSON.stringify(json).replaceAll(id, '<id>')) as unknown);
  };

  const readPaths = [
    '',
    '/events',
    '/late',
    '/timeline',
    '/replay',
    '/diff?from=0&to=0',
    '/tree',
    '/why',
    '/cancellations',
  ];

  /** Every path to a task in the ledger API: status and body, the id taken out. */
  const ledgerPaths = async (api: LedgerApi, id: string): Promise<unknown[]> => {
    const answers: Answer<unknown>[] = [];
    for (const path of readPaths) answers.push(await api.get(`/tasks/${id}${path}`));
    answers.push(
      await api.emit(id, 'completed'),
      await api.chunk(id, 'a', ['x']),
      await api.message(id, userMessage('x')),
      await api.cancel(id),
      await api.planCancellation(id),
      await api.acknowledge(id),
      await api.decline(id),
      await api.link(id, { taskId: id }),
    );
    return answers.map(({ status, text }) => [
      status,
      text.replaceAll(id, '<id>').replace(/"requestId":"[^"]*"/g, ''),
    ]);
  };

  it.each(strangers)('C44 to %s a task of alice answers exactly as one that never was', async (_, caller) => {
    const unknown = crypto.randomUUID();
    const before = (await as(workerAgent).events(taskId)).body.events;
    const rpc = rpcAs(caller);
    expect(await rpcPaths(rpc, taskId)).toEqual(await rpcPaths(rpc, unknown));
    const found = await ledgerPaths(as(caller), taskId);
    expect(found).toEqual(await ledgerPaths(as(caller), unknown));
    for (const answer of found) expect([403, 404]).toContain((answer as [number, string])[0]);
    expect((found[0] as [number, string])[0]).toBe(404);
    expect((await as(workerAgent).events(taskId)).body.events).toEqual(before);
  });

  it.each(strangers)(
    'C44 to %s lists, trees, feeds and certificates show nothing of alice',
    async (_, caller) => {
      const listed = (await rpcAs(caller).listTasks({ contextId })).result;
      expect([listed.tasks, listed.totalSize]).toEqual([[], 0]);
      const rows = (await as(caller).rows(`contextId=${contextId}`)).body;
      expect([rows.rows, rows.totalSize]).toEqual([[], 0]);
      const certificate = await as(caller).certificate(cancellationId);
      expect(certificate.problem).toMatchObject({ status: 404, code: 'cancellation-not-found' });
      const feed = await as(caller).feed('from=start');
      const own = (await as(caller).create({ contextId: 'mine' })).body.taskId;
      const frames = await feed.takeUntil(({ data }) => data.includes(own));
      for (const { data } of frames) {
        const { metadata } = JSON.parse(data) as { metadata: { tenant: string; owner: string } };
        expect(metadata.tenant).toBe(caller.tenant);
        if (caller.role === 'user') expect(metadata.owner).toBe(caller.principal);
      }
      feed.destroy();
      await as({ ...caller, role: 'operator' }).cancel(own);
    },
  );

  it('C44 a token of alice’s list is worth nothing to mallory', async () => {
    await rpcAs(alice).newTask('one more', { contextId });
    const token = (await rpcAs(alice).listTasks({ contextId, pageSize: 1 })).result.nextPageToken;
    expect(token).not.toBe('');
    const answer = await rpcAs(mallory).listTasks({ contextId, pageSize: 1, pageToken: token });
    if (answer.code === undefined) expect(answer.result.tasks).toEqual([]);
    else expect(answer.code).toBe(-32602);
  });

  it('a user may see, message and cancel own tasks, and do nothing else to them', async () => {
    const user = as(alice);
    const own = (await user.create()).body.taskId;
    for (const refused of [
      await user.emit(own, 'working'),
      await user.chunk(own, 'a', ['x']),
      await user.get('/views'),
      await user.post('/views/tasks/rebuild'),
    ])
      expect(refused.problem).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await user.message(own, userMessage('x'))).status).toBe(200);
    expect((await user.link(own, { taskId: (await user.create()).body.taskId })).status).toBe(201);
    expect((await user.cancel(own)).status).toBe(202);
  });

  it('an agent may work on every task of its tenant, and not cancel', async () => {
    const agent = as(workerAgent);
    expect((await agent.row(taskId)).status).toBe(200);
    expect((await agent.cancel(taskId)).problem).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await rpcAs(workerAgent).getTask(taskId)).result.id).toBe(taskId);
    expect((await agent.rows(`contextId=${contextId}`)).body.totalSize).toBeGreaterThan(0);
    expect((await agent.get('/views')).status).toBe(403);
  });

  it('an operator may do everything in the tenant, and nothing outside', async () => {
    const operator = as(al2);
    const own = (await as(alice).create()).body.taskId;
    expect((await operator.emit(own, 'working')).status).toBe(200);
    expect((await operator.cancel(own)).status).toBe(202);
    expect((await operator.get('/views')).status).toBe(200);
    const foreign = (await as(mallory).create()).body.taskId;
    expect((await operator.row(foreign)).status).toBe(404);
  });

  it('without a tenant or a principal it is 401 everywhere; without a role the caller is a user', async () => {
    for (const headers of [
      {},
      { 'Ledger-Tenant': 'acme' },
      { 'Ledger-Principal': 'alice' },
      { 'Ledger-Tenant': '', 'Ledger-Principal': 'alice' },
    ]) {
      const answer = await httpRequest(`${service.url}/ledger/v1/tasks/${taskId}`, { headers });
      expect(answer.problem).toMatchObject({ status: 401, code: 'unauthenticated' });
      const rpc = await httpRequest(`${service.url}/a2a/jsonrpc`, {
        method: 'POST',
        headers: { 'A2A-Version': '1.0', ...headers },
        body: { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: taskId } },
      });
      expect(rpc.status).toBe(401);
    }
    const { 'Ledger-Role': _role, ...noRole } = callerHeaders(workerAgent);
    const url = `${service.url}/ledger/v1/tasks/${taskId}`;
    expect((await httpRequest(url, { headers: noRole })).status).toBe(404);
    const badRole = { ...callerHeaders(alice), 'Ledger-Role': 'king' };
    expect([400, 401]).toContain((await httpRequest(url, { headers: badRole })).status);
  });

  it('C44 a reference to a task of somebody else in a message opens nothing', async () => {
    const sent = await rpcAs(mallory).newTask('look', { message: { referenceTaskIds: [taskId] } });
    expect(sent.id).not.toBe(taskId);
    expect(JSON.stringify(sent)).not.toContain('private');
    expect(await as(workerAgent).eventTypes(taskId)).toEqual(['TaskSubmitted', 'TaskStarted']);
  });
});
