import 'reflect-metadata';
import { RunningApi, startOn } from './running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.stop());

const working = async (body: object = {}): Promise<string> => {
  const id = await api.create(body);
  await api.post(`/tasks/${id}/transitions`, { to: 'working' });
  return id;
};
const cancels = async (id: string, body: object = {}): Promise<string> =>
  String((await api.post(`/tasks/${id}/cancellation`, body)).body.cancellationId);
const under = (taskId: string, terms: object = {}): object => ({ parent: { taskId, ...terms } });

/** A chain of three, cancelled from the top. */
const chain = async (reason: string) => {
  const root = await api.create();
  const middle = await api.create(under(root));
  const last = await api.create(under(middle));
  const id = await cancels(root, { reason });
  await api.get(`/cancellations/${id}?wait=settled`);
  return { root, middle, last, id };
};

describe('a certificate', () => {
  it('is read as JSON, as text for a terminal and as a diagram', async () => {
    const { root, last, id } = await chain('budget');
    const path = `/cancellations/${id}`;
    expect((await api.get(`${path}?format=json`)).body).toEqual((await api.get(path)).body);
    const text = await api.text(`${path}?format=text`);
    expect(text.type).toBe('text/plain; charset=utf-8');
    for (const part of [id, root, last, 'budget', 'canceled']) expect(text.text).toContain(part);
    const mermaid = await api.text(`${path}?format=mermaid`);
    expect(mermaid.type).toBe('text/vnd.mermaid; charset=utf-8');
    for (const part of [root, last]) expect(mermaid.text).toContain(part);
  });

  it('goes on after a node that was shown; its counts stay those of the whole', async () => {
    const { root, middle, last, id } = await chain('paging');
    const { body } = await api.get(`/cancellations/${id}?nodesAfter=${root}`);
    expect(body).toMatchObject({ counts: { canceled: 3 }, nodes: [{ taskId: middle }, { taskId: last }] });
  });

  it.each([
    ['format=yaml', 'format'],
    ['format=text&format=json', 'format'],
    ['wait=forever', 'wait'],
    ['timeoutMs=soon', 'timeoutMs'],
    ['timeoutMs=-1', 'timeoutMs'],
    ['nodesAfter=none', 'nodesAfter'],
  ])('%s is refused by its name', async (query, field) => {
    const id = await cancels(await api.create());
    expect(await api.get(`/cancellations/${id}?${query}`)).toMatchObject({ status: 400, body: { field } });
  });

  it('that is waited for is answered as it is when the time is over', async () => {
    const id = await cancels(await working(), { mode: 'cooperative' });
    for (const wait of ['settled', 'confirmed']) {
      expect(await api.get(`/cancellations/${id}?wait=${wait}&timeoutMs=50`)).toMatchObject({
        status: 200,
        body: { status: 'running' },
      });
    }
  });

  it('is waited for until a worker has acknowledged', async () => {
    const task = await working();
    const id = await cancels(task);
    expect((await api.get(`/cancellations/${id}?wait=settled`)).body.status).toBe('settled');
    const confirmed = api.get(`/cancellations/${id}?wait=confirmed`);
    await api.post(`/tasks/${task}/cancellation/ack`);
    expect((await confirmed).body).toMatchObject({ status: 'confirmed', workers: { acknowledged: 1 } });
  });
});

describe('a service that stops', () => {
  it('answers whoever waits for a certificate with the certificate as it is', async () => {
    const stopping = await RunningApi.start({ LEDGER_BLOCKING_TIMEOUT_MS: '3600000' });
    const task = await stopping.create();
    await stopping.post(`/tasks/${task}/transitions`, { to: 'working' });
    const asked = await stopping.post(`/tasks/${task}/cancellation`, { mode: 'cooperative' });
    const waiting = stopping.get(`/cancellations/${String(asked.body.cancellationId)}?wait=settled`);
    // Taken up before the drain: whatever is asked after it is refused.
    await stopping.get('/rows');
    const stopped = stopping.stop();
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'running' } });
    await stopped;
  });
});

describe('the list of cancellations', () => {
  it('filters by who asked, status, time and root', async () => {
    const since = new Date().toISOString();
    const { root, id } = await chain('listed');
    const open = await cancels(await working(), { mode: 'cooperative' });
    const idsOf = async (query: string): Promise<unknown[]> => {
      const { cancellations } = (await api.get(`/cancellations?${query}`)).body;
      return (cancellations as { cancellationId: string }[]).map(({ cancellationId }) => cancellationId);
    };
    expect(await idsOf(`since=${since}`)).toEqual([open, id]);
    expect(await idsOf(`since=${since}&status=running`)).toEqual([open]);
    expect(await idsOf(`since=${since}&status=confirmed`)).toEqual([id]);
    expect(await idsOf(`rootTaskId=${root}`)).toEqual([id]);
    expect(await idsOf(`since=${since}&requestedBy=anonymous`)).toEqual([open, id]);
    expect(await idsOf('requestedBy=nobody')).toEqual([]);
    expect(await idsOf('since=2999-01-01T00:00:00Z')).toEqual([]);
  });

  it('is read in pages, and answers with the position it has reached', async () => {
    const root = await api.create();
    for (let round = 0; round < 3; round += 1) await cancels(root, { descendantsOnly: true });
    const written = await api.post(`/tasks/${root}/cancellation`, { descendantsOnly: true });
    const position = String(written.headers.get('ledger-position'));
    const first = await api.get(`/cancellations?rootTaskId=${root}&pageSize=3`, {
      'ledger-wait-for': position,
    });
    expect(first.headers.get('ledger-position')).toBe(first.body.position);
    expect(String(first.body.position) >= position).toBe(true);
    const token = encodeURIComponent(String(first.body.nextPageToken));
    const second = await api.get(`/cancellations?rootTaskId=${root}&pageSize=3&pageToken=${token}`);
    const shown = [first, second].flatMap(({ body }) => body.cancellations as { cancellationId: string }[]);
    expect(new Set(shown.map(({ cancellationId }) => cancellationId)).size).toBe(4);
    expect(second.body.nextPageToken).toBe('');
    expect(await api.get(`/cancellations?status=running&pageSize=3&pageToken=${token}`)).toMatchObject({
      status: 400,
      body: { field: 'pageToken' },
    });
  });

  it.each([
    ['pageSize=0', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['status=done', 'status'],
    ['since=yesterday', 'since'],
    ['pageToken=nonsense', 'pageToken'],
  ])('%s is refused by its name', async (query, field) => {
    expect(await api.get(`/cancellations?${query}`)).toMatchObject({ status: 400, body: { field } });
  });

  it('refuses a position that is none', async () => {
    expect((await api.get('/cancellations', { 'ledger-wait-for': 'zzz' })).status).toBe(400);
  });
});

describe('the audit of one task', () => {
  it('C33 names every cancellation that came to it, with its path from the root', async () => {
    const { root, middle, last, id } = await chain('why not');
    const answer = await api.get(`/tasks/${last}/cancellations`);
    expect(answer.body).toEqual([
      expect.objectContaining({
        cancellationId: id,
        rootTaskId: root,
        path: [root, middle, last],
        outcome: 'canceled',
        reason: 'why not',
        requestedBy: expect.objectContaining({ principal: 'anonymous', via: 'ledger-api' }) as object,
      }),
    ]);
    expect(answer.headers.get('etag')).toBe('"1"');
    expect((await api.get(`/tasks/${await api.create()}/cancellations`)).body).toEqual([]);
    expect((await api.get('/tasks/none/cancellations')).body).toMatchObject({ code: 'task-not-found' });
  });

  it('C33 goes back from its end to the first request, in every format', async () => {
    const { root, middle, last } = await chain('budget');
    const steps = (await api.get(`/tasks/${last}/why`)).body as unknown as Record<string, unknown>[];
    const streams = steps.map(({ stream }) => String(stream));
    for (const [index, taskId] of [last, middle, root].entries()) {
      expect(streams[index]).toContain(taskId);
      expect(steps[index]).toMatchObject({ type: 'TaskCanceled' });
    }
    expect((await api.text(`/tasks/${last}/why?format=json`)).type).toContain('application/json');
    const text = await api.text(`/tasks/${last}/why?format=text`);
    expect(text).toMatchObject({ type: 'text/plain; charset=utf-8' });
    expect(text.text).toContain('budget');
    const mermaid = await api.text(`/tasks/${last}/why?format=mermaid`);
    expect(mermaid.type).toBe('text/vnd.mermaid; charset=utf-8');
    expect(mermaid.text).toContain('TaskCanceled');
    expect((await api.text('/tasks/none/why?format=text')).type).toContain('application/problem+json');
  });
});

describe('a restart', () => {
  it('changes no certificate, and says nothing twice', async () => {
    const before = await RunningApi.start();
    const root = await before.create();
    const child = await before.create(under(root));
    const answer = await before.post(`/tasks/${root}/cancellation`);
    const path = `/cancellations/${String(answer.body.cancellationId)}?wait=settled`;
    const told = (await before.get(path)).body;
    await before.service.close();
    const service = await startOn(before.folder);
    const again = (await (await fetch(`${service.url}/ledger/v1${path}`)).json()) as object;
    expect(again).toEqual(told);
    const events = await fetch(`${service.url}/ledger/v1/tasks/${child}/events`);
    expect(((await events.json()) as { events: object[] }).events).toHaveLength(2);
    await service.close();
  });
});
