import 'reflect-metadata';
import { RunningApi } from './running-api.js';

/** The setting makes every cancel of these tests a cooperative one. */
const cooperative = { LEDGER_CANCEL_MODE: 'cooperative', LEDGER_BLOCKING_TIMEOUT_MS: '3600000' };
const extension = 'https://a2a-task-ledger.dev/extensions/ledger/v1';

let api: RunningApi;
beforeAll(async () => {
  api = await RunningApi.start(cooperative);
});
afterAll(() => api.stop());

interface ShownTask {
  readonly status: { readonly state: string; readonly message?: object };
  readonly metadata?: Readonly<Record<string, object>>;
}

const cancelTask = async (of: RunningApi, id: string, options: object = {}): Promise<ShownTask> => {
  const params = { id, metadata: { [extension]: options } };
  const answer = await fetch(`${of.service.url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'CancelTask', params }),
  });
  return ((await answer.json()) as { result: ShownTask }).result;
};

const working = async (of: RunningApi, body: object = {}): Promise<string> => {
  const id = await of.create(body);
  await of.post(`/tasks/${id}/transitions`, { to: 'working' });
  return id;
};

/** Resolves with the first event of a type that is appended from now on, or was before. */
const happened = (of: RunningApi, id: string, type: string): Promise<unknown> =>
  of.frames(`/feed?types=${type}`, { until: ({ data }) => data.taskId === id });

describe('LEDGER_CANCEL_MODE=cooperative', () => {
  it('asks over the ledger API, whoever names no mode, and takes a grace', async () => {
    const id = await working(api);
    const answer = await api.post(`/tasks/${id}/cancellation`, { graceMs: 60_000 });
    expect(answer).toMatchObject({ status: 202, body: { state: 'TASK_STATE_WORKING' } });
    const now = await api.post(`/tasks/${id}/cancellation`, { mode: 'immediate' });
    expect(now.body).toEqual({ ...answer.body, state: 'TASK_STATE_CANCELED' });
  });

  it('answers CancelTask with the end that the agent reports', async () => {
    const id = await working(api);
    const answer = cancelTask(api, id);
    await happened(api, id, 'CancellationRequested');
    await api.post(`/tasks/${id}/transitions`, { to: 'canceled' });
    expect((await answer).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('answers CancelTask with the end that the ledger brings when nobody does', async () => {
    const id = await working(api);
    expect((await cancelTask(api, id, { graceMs: 1_000 })).status.state).toBe('TASK_STATE_CANCELED');
    expect((await api.get(`/tasks/${id}/events?direction=backwards&limit=1`)).body.events).toMatchObject([
      { type: 'TaskCanceled', data: { forced: true } },
    ]);
  });

  it('answers CancelTask with the task as it is when the service stops, and ends it after the next start', async () => {
    const stopping = await RunningApi.start(cooperative);
    const id = await working(stopping);
    const answer = cancelTask(stopping, id, { graceMs: 2_000 });
    await happened(stopping, id, 'CancellationRequested');
    await stopping.service.close();
    expect((await answer).status.state).toBe('TASK_STATE_WORKING');
    const again = await RunningApi.startIn(stopping.folder, cooperative);
    await happened(again, id, 'TaskCanceled');
    expect((await again.get(`/tasks/${id}`)).body.state).toBe('TASK_STATE_CANCELED');
    await again.stop();
  });
});

it('what is asked with a parent is told so, and the child of a canceled one names it', async () => {
  const parent = await api.create();
  const asked = await working(api, { parent: { taskId: parent, policy: 'cooperative', graceMs: 60_000 } });
  const plain = await api.create({ parent: { taskId: parent } });
  const { cancellationId } = (await api.post(`/tasks/${parent}/cancellation`, { reason: 'budget' })).body;
  await Promise.all([happened(api, asked, 'CancellationRequested'), happened(api, plain, 'TaskCanceled')]);
  const shown = async (id: string): Promise<ShownTask> =>
    (await api.get(`/tasks/${id}?as=a2a-1.0`)).body.value as ShownTask;
  expect(await shown(asked)).toMatchObject({
    status: { state: 'TASK_STATE_WORKING' },
    metadata: { [extension]: { cancellationId } },
  });
  const { status } = await shown(plain);
  expect(JSON.stringify(status.message)).toContain(
    `Canceled with its parent ${parent} (cancellation ${String(cancellationId)}): budget`,
  );
});
