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
    for (const path of ['/tasks/x', '/rows', '/feed', '/views', '/cancellations/x']) {
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
      for (const path of ['', '/events', '/replay', '/timeline', '/late', '/why', '/tree']) {
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
});
