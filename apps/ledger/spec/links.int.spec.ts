import 'reflect-metadata';
import { RunningApi } from './running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.stop());

const under = (taskId: string, terms: object = {}): object => ({ parent: { taskId, ...terms } });
const working = async (body: object = {}): Promise<string> => {
  const id = await api.create(body);
  await api.post(`/tasks/${id}/transitions`, { to: 'working' });
  return id;
};
const moves = async (id: string, to: string): Promise<void> => {
  await api.post(`/tasks/${id}/transitions`, { to });
};
/** The last event of a task, once it has ended. */
const lastOf = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await api.frames(`/tasks/${id}/events`)).at(-1)?.data;

describe('the terms of a link', () => {
  it('are kept and answered, for a child born under its parent and for an adopted one', async () => {
    const parent = await api.create();
    const born = await api.post('/tasks', under(parent, { policy: 'cooperative', graceMs: 2_000 }));
    expect(born).toMatchObject({
      status: 201,
      body: { parentTaskId: parent, policy: 'cooperative', onEnd: 'abandon' },
    });
    const child = await api.create();
    const terms = { policy: 'abandon', onEnd: 'cascade' };
    expect(await api.post(`/tasks/${parent}/children`, { taskId: child, ...terms })).toMatchObject({
      status: 201,
      body: { parentTaskId: parent, taskId: child, ...terms },
    });
    const tree = await api.get(`/tasks/${parent}/tree`);
    expect(tree.body.children).toContainEqual(expect.objectContaining({ taskId: child, ...terms }));
  });

  it.each([
    [{ policy: 'sometimes' }, 'policy'],
    [{ onEnd: 'cooperative' }, 'onEnd'],
    [{ policy: 'cooperative', graceMs: 999 }, 'graceMs'],
    [{ policy: 'cooperative', graceMs: 86_400_001 }, 'graceMs'],
    [{ graceMs: 2_000 }, 'graceMs'],
    [{ policy: 'cascade', graceMs: 2_000 }, 'graceMs'],
  ])('%j is refused by the name of its field', async (terms, field) => {
    const parent = await api.create();
    expect(await api.post('/tasks', under(parent, terms))).toMatchObject({
      status: 400,
      body: { field: `parent.${field}` },
    });
    const taskId = await api.create();
    expect(await api.post(`/tasks/${parent}/children`, { taskId, ...terms })).toMatchObject({
      status: 400,
      body: { field },
    });
  });
});

describe('onEnd', () => {
  it('cascade: what hangs below a task that ends otherwise is stopped, and the ledger says why', async () => {
    const parent = await working();
    const child = await working(under(parent, { onEnd: 'cascade' }));
    const other = await working(under(parent));
    await moves(parent, 'completed');
    expect(await lastOf(child)).toMatchObject({ type: 'TaskStopped', data: { stoppedBy: 'orphaned' } });
    const row = (await api.get(`/tasks/${child}`)).body;
    expect(row).toMatchObject({ status: 'killed', stoppedBy: 'orphaned', state: 'TASK_STATE_FAILED' });
    const certificate = await api.get(`/cancellations/${String(row.cancellationId)}?wait=settled`);
    expect(certificate.body).toMatchObject({
      rootTaskId: parent,
      requestedBy: { principal: 'system', role: 'system' },
      reason: expect.stringContaining('onEnd') as string,
    });
    expect((await api.get(`/tasks/${other}`)).body.state).toBe('TASK_STATE_WORKING');
  });
});

describe('C27 a child that comes too late', () => {
  it('is born canceled under a parent that was canceled with what is below it', async () => {
    const parent = await api.create();
    const { cancellationId } = (await api.post(`/tasks/${parent}/cancellation`, { reason: 'budget' })).body;
    const late = await api.post('/tasks', under(parent));
    expect(late).toMatchObject({
      status: 201,
      body: { state: 'TASK_STATE_CANCELED', stoppedBy: 'parent', cancellationId },
    });
    const certificate = await api.get(`/cancellations/${String(cancellationId)}?wait=settled`);
    expect(certificate.body.rootTaskId).toBe(parent);
  });

  it.each([
    ['abandon', { policy: 'abandon' }, {}],
    ['cascade: false', {}, { cascade: false }],
  ])('is refused with %s', async (_what, terms, cancel) => {
    const parent = await api.create();
    await api.post(`/tasks/${parent}/cancellation`, cancel);
    expect(await api.post('/tasks', under(parent, terms))).toMatchObject({
      status: 409,
      body: { code: 'task-is-terminal' },
    });
  });

  it('is refused under a parent that ended otherwise', async () => {
    const parent = await api.create();
    await moves(parent, 'failed');
    expect(await api.post('/tasks', under(parent))).toMatchObject({
      status: 409,
      body: { code: 'task-is-terminal', state: 'TASK_STATE_FAILED' },
    });
  });
});

describe('a deadline', () => {
  it('stops the task, which names it', async () => {
    const deadline = new Date(Date.now() + 1_500).toISOString();
    const id = await working({ deadline });
    expect((await api.get(`/tasks/${id}`)).body).toMatchObject({ deadline });
    expect(await lastOf(id)).toMatchObject({ type: 'TaskStopped', data: { stoppedBy: 'deadline' } });
    const { value } = (await api.get(`/tasks/${id}?as=a2a-1.0`)).body as { value: object };
    expect(value).toMatchObject({ status: { state: 'TASK_STATE_FAILED' } });
    expect(JSON.stringify(value)).toContain(`Stopped at its deadline, ${deadline}`);
  });

  it('of a task that ends before it does nothing', async () => {
    const id = await working({ deadline: new Date(Date.now() + 600_000).toISOString() });
    await moves(id, 'completed');
    expect((await api.get(`/tasks/${id}`)).body.status).toBe('completed');
  });

  it.each(['2020-01-01T00:00:00.000Z', 'tomorrow', 7])('%p is refused by its name', async (deadline) => {
    expect(await api.post('/tasks', { deadline })).toMatchObject({
      status: 400,
      body: { field: 'deadline' },
    });
  });
});
