import 'reflect-metadata';
import { RunningApi } from './running-api.js';

describe('trusted headers', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await RunningApi.start({ LEDGER_AUTH: 'trusted-headers' });
  });
  afterAll(async () => {
    await api.stop();
  });

  const as = (principal: string, role = 'user', tenant = 'acme'): Record<string, string> => ({
    'ledger-tenant': tenant,
    'ledger-principal': principal,
    'ledger-role': role,
  });

  it('are needed on every path of the API', async () => {
    for (const path of ['/tasks/x', '/rows', '/feed', '/views', '/cancellations', '/cancellations/x']) {
      expect(await api.get(path)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    }
    expect(await api.get('/rows', as('alice', 'root'))).toMatchObject({
      status: 400,
      body: { field: 'ledger-role' },
    });
  });

  it('C44 keep the tasks of others out of sight', async () => {
    const { body } = await api.post('/tasks', {}, as('alice'));
    const id = String(body.taskId);
    expect((await api.get(`/tasks/${id}`, as('alice'))).status).toBe(200);
    expect((await api.get(`/tasks/${id}`, as('bob', 'agent'))).status).toBe(200);
    for (const stranger of [as('bob'), as('alice', 'operator', 'other')]) {
      for (const path of [
        '',
        '/events',
        '/replay',
        '/timeline',
        '/late',
        '/why',
        '/tree',
        '/cancellations',
      ]) {
        expect(await api.get(`/tasks/${id}${path}`, stranger)).toMatchObject({
          status: 404,
          body: { code: 'task-not-found' },
        });
      }
      expect((await api.get('/rows', stranger)).body).toMatchObject({ totalSize: 0 });
    }
  });

  it('give users no transitions and no views', async () => {
    const { body } = await api.post('/tasks', {}, as('alice'));
    const path = `/tasks/${String(body.taskId)}/transitions`;
    expect(await api.post(path, { to: 'working' }, as('alice'))).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect((await api.post(path, { to: 'working' }, as('worker', 'agent'))).status).toBe(200);
    expect(await api.get('/views', as('worker', 'agent'))).toMatchObject({ status: 403 });
    expect((await api.get('/views', as('boss', 'operator'))).status).toBe(200);
  });

  const alice = as('alice');
  const worker = as('worker', 'agent');
  const working = async (): Promise<string> => {
    const id = await api.create({}, alice);
    await api.post(`/tasks/${id}/transitions`, { to: 'working' }, worker);
    return id;
  };

  it('let users cancel and agents answer, each what is his', async () => {
    const id = await working();
    const path = `/tasks/${id}/cancellation`;
    const forbidden = { status: 403, body: { code: 'forbidden' } };
    expect(await api.post(path, {}, worker)).toMatchObject(forbidden);
    expect(await api.post(path, { dryRun: true }, worker)).toMatchObject(forbidden);
    expect((await api.post(path, { dryRun: true }, alice)).status).toBe(200);
    const { cancellationId } = (await api.post(path, { mode: 'cooperative' }, alice)).body;
    for (const deed of ['ack', 'decline']) {
      expect(await api.post(`${path}/${deed}`, {}, alice)).toMatchObject(forbidden);
      for (const stranger of [as('bob'), as('worker', 'agent', 'other')]) {
        expect(await api.post(`${path}/${deed}`, {}, stranger)).toMatchObject({ status: 404 });
      }
      expect(await api.post(`${path}/${deed}`, {}, worker)).toMatchObject({ body: { cancellationId } });
    }
  });

  it('C44 keep the cancellations of others out of sight', async () => {
    const id = await working();
    const { cancellationId } = (await api.post(`/tasks/${id}/cancellation`, {}, alice)).body;
    const path = `/cancellations/${String(cancellationId)}`;
    const idsOf = async (caller: Record<string, string>): Promise<unknown[]> => {
      const { cancellations } = (await api.get('/cancellations', caller)).body;
      return (cancellations as { cancellationId: string }[]).map((listed) => listed.cancellationId);
    };
    for (const stranger of [as('bob'), as('alice', 'operator', 'other')]) {
      for (const query of ['', '?format=text', '?wait=settled']) {
        expect(await api.get(`${path}${query}`, stranger)).toMatchObject({
          status: 404,
          body: { code: 'cancellation-not-found' },
        });
      }
      expect(await idsOf(stranger)).not.toContain(cancellationId);
    }
    for (const caller of [alice, worker, as('boss', 'operator')]) {
      expect((await api.get(path, caller)).body).toMatchObject({ requestedBy: { principal: 'alice' } });
      expect(await idsOf(caller)).toContain(cancellationId);
    }
  });

  it.each([
    ['a task', 3, (id: string) => `/tasks/${id}/events`],
    ['the feed', 1, (_: string, from: string) => `/feed?types=TaskCanceled&from=${from}`],
  ])('tell the certificate which agents were told: one that follows %s', async (_what, enough, pathOf) => {
    const id = await working();
    const from = String((await api.post('/tasks', {}, alice)).headers.get('ledger-position'));
    const told = api.frames(pathOf(id, from), { headers: worker, enough });
    const { cancellationId } = (await api.post(`/tasks/${id}/cancellation`, {}, alice)).body;
    await told;
    // Notified agents are written down in batches: the event is awaited, not a time.
    const path = `/feed?types=WorkersNotified&from=${from}`;
    const [note] = await api.frames(path, { headers: alice, enough: 1 });
    expect(note?.data).toMatchObject({ data: { taskIds: [id], to: 'worker' } });
    const { nodes } = (await api.get(`/cancellations/${String(cancellationId)}`, alice)).body;
    expect(nodes).toMatchObject([{ taskId: id, worker: 'notified' }]);
  });

  it('tell the certificate nothing of users that watch', async () => {
    const id = await working();
    const watched = api.frames(`/tasks/${id}/events`, { headers: alice });
    const { cancellationId } = (await api.post(`/tasks/${id}/cancellation`, {}, alice)).body;
    await watched;
    const certificate = await api.get(`/cancellations/${String(cancellationId)}?wait=settled`, alice);
    expect(certificate.body).toMatchObject({ status: 'settled', unconfirmed: [id] });
  });
});
