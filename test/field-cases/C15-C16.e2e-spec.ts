import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, LedgerApi, useService, workerAgent } from '../support/index.js';

describe('lists tell the whole truth or refuse', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const user = new LedgerApi(service, alice);

  const page = async (contextId: string, pageToken?: string): Promise<{ ids: string[]; next: string }> => {
    const params = { contextId, pageSize: 2, ...(pageToken === undefined ? {} : { pageToken }) };
    const { tasks, nextPageToken } = (await rpc.listTasks(params)).result;
    return { ids: tasks.map(({ id }) => id), next: nextPageToken };
  };

  it('C15 a task touched while paging is still told, exactly once', async () => {
    const contextId = 'c15';
    const ids: string[] = [];
    for (let index = 0; index < 6; index++) ids.push((await rpc.newTask('x', { contextId })).id);

    const first = await page(contextId);
    await agent.emit(ids[0] ?? '', 'working');
    const seventh = (await rpc.newTask('x', { contextId })).id;
    const second = await page(contextId, first.next);
    const third = await page(contextId, second.next);

    const told = [...first.ids, ...second.ids, ...third.ids];
    expect(told).toEqual([...ids].reverse());
    expect(third.next).toBe('');
    const fresh = await page(contextId);
    expect(fresh.ids).toEqual([seventh, ids[0]]);
  });

  it.each([
    ['status', 'TASK_STATE_RUNNING'],
    ['status', 'working'],
    ['status', 99],
    ['includeArtifacts', 'no'],
    ['includeArtifacts', 'false'],
    ['pageSize', 0],
    ['pageSize', 101],
    ['pageSize', 'abc'],
    ['pageSize', 1.5],
    ['statusTimestampAfter', 1_700_000_000],
    ['statusTimestampAfter', '1700000000'],
    ['statusTimestampAfter', '2026-01-01'],
    ['historyLength', 'two'],
    ['contextId', 7],
  ])('C16 ListTasks %s=%j is refused and named', async (field, value) => {
    const { error } = await rpc.listTasks({ [field]: value });
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error)).toContain(field);
  });

  it.each([
    ['status', 'working'],
    ['state', 'working'],
    ['stoppedBy', 'nobody'],
    ['pageSize', '0'],
    ['pageSize', '101'],
    ['pageSize', 'abc'],
    ['updatedAfter', '1700000000'],
    ['updatedAfter', '2026-01-01'],
    ['pageToken', '%25%25%25'],
  ])('C16 GET /rows?%s=%s is refused and named', async (field, value) => {
    const answer = await user.rows(`${field}=${value}`);
    expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request', field });
  });

  it('C16 an absent page size is 50, and an unknown parameter is ignored', async () => {
    expect((await rpc.listTasks({ foo: 1 })).result.pageSize).toBe(50);
  });

  it('C16 artifacts are told only where they were asked for, then always', async () => {
    const contextId = 'c16-artifacts';
    const [none, some] = [await rpc.newTask('x', { contextId }), await rpc.newTask('x', { contextId })];
    await agent.chunk(some.id, 'a1', ['x']);
    for (const params of [{}, { includeArtifacts: false }])
      for (const task of (await rpc.listTasks({ contextId, ...params })).result.tasks)
        expect(task).not.toHaveProperty('artifacts');
    const told = (await rpc.listTasks({ contextId, includeArtifacts: true })).result.tasks;
    expect(Object.fromEntries(told.map(({ id, artifacts }) => [id, artifacts?.length]))).toEqual({
      [none.id]: 0,
      [some.id]: 1,
    });
  });

  it('C16 a task exactly at the instant is included', async () => {
    const contextId = 'c16-boundary';
    const task = await rpc.newTask('x', { contextId });
    const at = task.status.timestamp ?? '';
    const count = async (statusTimestampAfter: string): Promise<number> =>
      (await rpc.listTasks({ contextId, statusTimestampAfter })).result.totalSize;
    expect(await count(at)).toBe(1);
    expect(await count(new Date(Date.parse(at) + 1).toISOString())).toBe(0);
    expect(await count('2026-01-01T00:00:00Z')).toBe(1);
  });

  it('C16 each state and each context lists its own', async () => {
    const contextId = 'c16-filters';
    const [working, parked] = [await rpc.newTask('x', { contextId }), await rpc.newTask('x', { contextId })];
    await agent.emit(working.id, 'working');
    await agent.emit(parked.id, 'input-required', 'well?');
    const ids = async (params: Record<string, unknown>): Promise<string[]> =>
      (await rpc.listTasks({ contextId, ...params })).result.tasks.map(({ id }) => id);
    expect(await ids({ status: 'TASK_STATE_WORKING' })).toEqual([working.id]);
    expect(await ids({ status: 'TASK_STATE_INPUT_REQUIRED' })).toEqual([parked.id]);
    expect(await ids({ status: 'TASK_STATE_COMPLETED' })).toEqual([]);
    const rows = (await user.rows(`contextId=${contextId}&status=parked`)).body.rows;
    expect(rows.map(({ taskId }) => taskId)).toEqual([parked.id]);
  });
});
