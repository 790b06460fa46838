import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  EventFrames,
  eventually,
  httpRequest,
  LedgerApi,
  mismatches,
  rebuildAll,
  useService,
  viewsOf,
  workerAgent,
} from '../support/index.js';

describe('what the service says of itself', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  it('the agent card needs no caller, can be cached and says what is served', async () => {
    const answer = await httpRequest(`${service.url}/.well-known/agent-card.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(answer.body).toMatchObject({
      name: expect.any(String),
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      supportedInterfaces: [
        { url: `${service.url}/a2a/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    });
    const etag = answer.etag ?? '';
    expect(etag).not.toBe('');
    const again = await httpRequest(`${service.url}/.well-known/agent-card.json`, {
      headers: { 'If-None-Match': etag },
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it.each([
    ['CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://example.org/hook' }],
    ['GetTaskPushNotificationConfig', { taskId: 'x', id: 'c' }],
    ['ListTaskPushNotificationConfigs', { taskId: 'x' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 'x', id: 'c' }],
  ])('%s answers that push is not supported', async (method, params) => {
    expect((await rpc.call(method, params)).error.code).toBe(-32003);
  });

  it('a send with an inline webhook is refused and stores nothing', async () => {
    const configuration = { taskPushNotificationConfig: { url: 'https://example.org/hook' } };
    const before = (await rpc.listTasks()).result.totalSize;
    expect((await rpc.send('x', { configuration })).error.code).toBe(-32003);
    expect((await rpc.listTasks()).result.totalSize).toBe(before);
  });

  it('the extended card is not configured', async () => {
    expect([-32004, -32007]).toContain((await rpc.call('GetExtendedAgentCard', {})).error.code);
  });

  it('snake_case params are understood, as ProtoJSON asks', async () => {
    const { id, contextId } = await rpc.newTask();
    await agent.chunk(id, 'a', ['x']);
    const listed = await rpc.listTasks({ context_id: contextId, page_size: 1, include_artifacts: true });
    expect(listed.result).toMatchObject({ pageSize: 1, tasks: [{ id, artifacts: [{ artifactId: 'a' }] }] });
  });

  it('OpenAPI is served and knows every route', async () => {
    const page = await httpRequest(`${service.url}/docs`);
    expect(page.status).toBeLessThan(400);
    const { paths } = (await httpRequest(`${service.url}/docs/json`)).body as {
      paths: Record<string, Record<string, unknown>>;
    };
    const known = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method} ${path.replace('/ledger/v1', '').replace(/\{\w*[iI]d\}/g, '{id}')}`,
      ),
    );
    expect(known).toEqual(
      expect.arrayContaining([
        'post /tasks',
        'get /tasks/{id}',
        'post /tasks/{id}/transitions',
        'post /tasks/{id}/artifacts',
        'post /tasks/{id}/messages',
        'post /tasks/{id}/children',
        'post /tasks/{id}/cancellation',
        'get /tasks/{id}/events',
        'get /tasks/{id}/late',
        'get /tasks/{id}/timeline',
        'get /tasks/{id}/replay',
        'get /tasks/{id}/diff',
        'get /tasks/{id}/tree',
        'get /tasks/{id}/why',
        'get /cancellations/{id}',
        'get /rows',
        'get /feed',
        'get /views',
        'post /views/{name}/rebuild',
        'get /views/{name}/verify',
      ]),
    );
  });

  it('/ leads to the documentation', async () => {
    const answer = await httpRequest(`${service.url}/`);
    expect(answer.status).toBeGreaterThanOrEqual(300);
    expect(answer.status).toBeLessThan(400);
    expect(answer.headers.get('location')).toContain('/docs');
  });

  it('health, readiness and metrics need no caller', async () => {
    expect((await httpRequest(`${service.url}/healthz`)).status).toBe(200);
    expect((await httpRequest(`${service.url}/readyz`)).status).toBe(200);
    const metrics = await httpRequest(`${service.url}/metrics`);
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(metrics.text).toMatch(/^# HELP /m);
  });

  it('a client that goes away frees its subscription at once, with no event needed', async () => {
    const { id } = await rpc.newTask();
    const gauge = async (): Promise<number> => {
      const { text } = await httpRequest(`${service.url}/metrics`);
      const line = /^\w*open_streams\w*(?:\{[^}]*\})? (\d+)$/m.exec(text);
      if (line === null) throw new Error('no gauge of open streams');
      return Number(line[1]);
    };
    const before = await gauge();
    const streams = await Promise.all(Array.from({ length: 50 }, () => rpc.subscribe(id)));
    await Promise.all(streams.map((stream) => stream.take(1)));
    expect(await gauge()).toBe(before + 50);
    for (const stream of streams) stream.destroy();
    await eventually(
      'all subscriptions gone',
      async () => ((await gauge()) === before ? true : undefined),
      5_000,
    );
  });

  it('the views say where they are; rebuild and verify find them right', async () => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'completed');
    const views = await viewsOf(operator);
    expect(views.length).toBeGreaterThan(0);
    for (const view of views)
      expect(view).toMatchObject({
        name: expect.any(String),
        position: expect.any(String),
        lag: expect.any(Number),
      });
    await rebuildAll(operator);
    expect(await mismatches(operator)).toEqual([]);
    expect((await operator.post('/views/nonsense/rebuild')).status).toBeGreaterThanOrEqual(400);
  });

  it('rows answer with a position and totals, page by page', async () => {
    const contextId = 'rows';
    for (let index = 0; index < 5; index++) await rpc.newTask('x', { contextId });
    const first = await user.rows(`contextId=${contextId}&pageSize=2`);
    expect(first.body).toMatchObject({ totalSize: 5, position: first.position });
    expect(first.body.rows).toHaveLength(2);
    const token = encodeURIComponent(first.body.nextPageToken);
    const second = (await user.rows(`contextId=${contextId}&pageSize=3&pageToken=${token}`)).body;
    expect(second).toMatchObject({ totalSize: 5, nextPageToken: '' });
    const ids = [...first.body.rows, ...second.rows].map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(5);
    const [row] = first.body.rows;
    const { openChildren, rootTaskId, ...own } = row ?? { openChildren: -1, rootTaskId: '' };
    expect([openChildren, rootTaskId]).toEqual([0, row?.taskId]);
    expect(own).toEqual((await user.row(row?.taskId ?? '')).body);
  });

  it('rows filter by link', async () => {
    const { taskId } = (await user.create({ link: { kind: 'run', id: 'run-7' } })).body;
    await user.create({ link: { kind: 'subagent', handle: 'run-7' } });
    const rows = (await user.rows('link=run:run-7')).body.rows;
    expect(rows.map((row) => row.taskId)).toEqual([taskId]);
  });

  it('rows filter by who stopped them and by time', async () => {
    const contextId = 'stopped';
    const [one, two] = [await rpc.newTask('x', { contextId }), await rpc.newTask('x', { contextId })];
    await rpc.cancelTask(one.id);
    await agent.transition(two.id, { to: 'stopped', stoppedBy: 'operator' });
    const ids = async (query: string): Promise<string[]> =>
      (await user.rows(`contextId=${contextId}&${query}`)).body.rows.map(({ taskId }) => taskId);
    expect(await ids('stoppedBy=user')).toEqual([one.id]);
    expect(await ids('stoppedBy=operator')).toEqual([two.id]);
    expect(new Set(await ids('status=killed'))).toEqual(new Set([one.id, two.id]));
    const { updatedAt } = (await user.row(two.id)).body;
    expect(await ids(`updatedAfter=${updatedAt}`)).toContain(two.id);
    expect(await ids('updatedAfter=2999-01-01T00:00:00.000Z')).toEqual([]);
  });

  it('streams of a task are refused as plain JSON when there is nothing to stream', async () => {
    const opened = await EventFrames.open(`${service.url}/ledger/v1/tasks/nope/events`, {
      headers: { 'Ledger-Tenant': 'acme', 'Ledger-Principal': 'alice' },
    });
    expect(opened).not.toBeInstanceOf(EventFrames);
    expect(opened).toMatchObject({ status: 404 });
  });

  it('nobody’s words are in the log of the service', async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    const { id } = await rpc.newTask(secret);
    await agent.emit(id, 'working', secret);
    await rpc.send(secret, { taskId: 'nope' });
    expect(service.output).not.toContain(secret);
  });
});

describe('with no authentication', () => {
  const service = useService({ auth: 'none' });

  it('everybody is anonymous with every role', async () => {
    const nobody = new LedgerApi(service);
    const { taskId, tenant, owner } = (await nobody.create()).body;
    expect([tenant, owner]).toEqual(['default', 'anonymous']);
    expect((await nobody.emit(taskId, 'working')).status).toBe(200);
    expect((await nobody.get('/views')).status).toBe(200);
    expect((await nobody.cancel(taskId)).status).toBe(202);
    const task = (await new A2aRpc(service).getTask(taskId)).result;
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
  });
});
