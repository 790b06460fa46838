import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  inParallel,
  LedgerApi,
  mallory,
  sendParams,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

describe('C35 a retry under a key is the same deed', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const rpc = new A2aRpc(service, alice);
  const key = (): Record<string, string> => ({ 'Idempotency-Key': crypto.randomUUID() });

  it('C35 a create again, in parallel and after a restart, is one task', async () => {
    const [headers, input] = [key(), { contextId: 'once', metadata: { n: 1 } }];
    const first = await user.create(input, headers);
    expect(first.status).toBe(201);
    const again = await inParallel(20, 20, () => user.create(input, headers));
    for (const answer of again) expect([answer.status, answer.body]).toEqual([first.status, first.body]);
    await agent.emit(first.body.taskId, 'working');
    await service.restart();
    const later = await user.create(input, headers);
    expect([later.status, later.body]).toEqual([201, first.body]);
    expect((await user.rows('contextId=once')).body.totalSize).toBe(1);
  });

  it('C35 20 first creates in parallel are one task', async () => {
    const headers = key();
    const answers = await inParallel(20, 20, () => user.create({ contextId: 'parallel' }, headers));
    expect(new Set(answers.map(({ body }) => body.taskId)).size).toBe(1);
    expect((await user.rows('contextId=parallel')).body.totalSize).toBe(1);
  });

  it('C35 other content under the same key is a conflict and stores nothing', async () => {
    const headers = key();
    const { taskId } = (await user.create({ contextId: 'conflict' }, headers)).body;
    const other = await user.create({ contextId: 'conflict', metadata: { n: 2 } }, headers);
    expect(other.problem).toMatchObject({ status: 409, code: 'idempotency-conflict' });
    expect((await user.rows('contextId=conflict')).body.rows.map((row) => row.taskId)).toEqual([taskId]);
  });

  it('C35 the same key of somebody else is another deed', async () => {
    const headers = key();
    const mine = (await user.create({}, headers)).body.taskId;
    const hers = (await new LedgerApi(service, mallory).create({}, headers)).body;
    expect(hers.taskId).not.toBe(mine);
    expect(hers.tenant).toBe('other');
  });

  it('C35 the order of fields in the body does not matter', async () => {
    const headers = key();
    const one = await user.create({ contextId: 'order', metadata: { a: 1, b: 2 } }, headers);
    const two = await user.create({ metadata: { b: 2, a: 1 }, contextId: 'order' }, headers);
    expect(two.body).toEqual(one.body);
  });

  it('C35 every write is answered as the first time, on the row as of then', async () => {
    const { taskId } = (await user.create()).body;
    const keys = Array.from({ length: 5 }, key);
    const chunk = { artifact: { artifactId: 'a', parts: [{ text: 'x' }] } };
    const message = userMessage('m');
    const writes = [
      () => agent.transition(taskId, { to: 'working' }, keys[0]),
      () => agent.record(taskId, chunk, keys[1]),
      () => user.message(taskId, message, keys[2]),
      () => agent.transition(taskId, { to: 'completed', result: 'r' }, keys[3]),
    ];
    const first = [];
    for (const write of writes) first.push(await write());
    const types = await agent.eventTypes(taskId);
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      for (const [index, write] of writes.entries()) {
        const again = await write();
        expect([again.status, again.body]).toEqual([first[index]?.status, first[index]?.body]);
      }
    }
    expect(await agent.eventTypes(taskId)).toEqual(types);
    const refused = await agent.transition(taskId, { to: 'failed' }, keys[3]);
    expect(refused.problem.code).toBe('idempotency-conflict');
  });

  it('C35 a key is looked up before If-Match', async () => {
    const { taskId } = (await user.create()).body;
    const headers = { ...key(), 'If-Match': '"0"' };
    const first = await agent.transition(taskId, { to: 'working' }, headers);
    expect(await agent.transition(taskId, { to: 'working' }, headers)).toMatchObject({
      status: 200,
      body: first.body,
    });
  });

  it('C35 a cancellation again under its key is the same certificate, without a repeat', async () => {
    const { taskId } = (await user.create()).body;
    const headers = key();
    const first = await user.cancel(taskId, { reason: 'r' }, headers);
    const again = await user.cancel(taskId, { reason: 'r' }, headers);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
  });

  it('C35 SendMessage under a key is one task, over restart too; without a key the message id is no key', async () => {
    const headers = key();
    const params = sendParams('once', { contextId: 'a2a-once', configuration: { returnImmediately: true } });
    const send = async (): Promise<string> =>
      ((await rpc.call('SendMessage', params, headers)).result as { task: { id: string } }).task.id;
    const id = await send();
    expect(new Set(await inParallel(20, 20, send))).toEqual(new Set([id]));
    await service.restart();
    expect(await send()).toBe(id);
    expect((await rpc.listTasks({ contextId: 'a2a-once' })).result.totalSize).toBe(1);
    const other = sendParams('twice', { contextId: 'a2a-once' });
    expect((await rpc.call('SendMessage', other, headers)).error.code).toBe(-32602);

    const plain = { contextId: 'a2a-twice', messageId: 'm-77' };
    const [one, two] = [await rpc.newTask('x', plain), await rpc.newTask('x', plain)];
    expect(one.id).not.toBe(two.id);
  });

  it('C35 a follow-up under a key is in the history once', async () => {
    const { id } = await rpc.newTask();
    await agent.emit(id, 'input-required', 'well?');
    const headers = key();
    const params = sendParams('answer', {
      taskId: id,
      messageId: 'm-78',
      configuration: { returnImmediately: true },
    });
    for (let index = 0; index < 3; index++) await rpc.call('SendMessage', params, headers);
    const history = (await rpc.getTask(id)).result.history ?? [];
    expect(history.filter(({ messageId }) => messageId === 'm-78')).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(257)])('a key of a wrong length is 400', async (value) => {
    const answer = await user.create({}, { 'Idempotency-Key': value });
    expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
  });
});
