import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  alice,
  artifact,
  callerHeaders,
  LedgerApi,
  useService,
  workerAgent,
} from '../support/index.js';

const hostile = [
  '__proto__',
  'constructor',
  'toString',
  '..',
  '../../x',
  'a/b',
  'a%2Fb',
  'x:cancel',
  '$all',
  '$ce-task',
  "a'); DROP TABLE events;--",
  'ledger.log',
  '..%2f..%2fetc%2fpasswd',
  ' ',
];
const malformed = ['', 'x'.repeat(300), 'a\u0007b'];

describe('C45 hostile identifiers are only names', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it.each(hostile)('C45 the unknown task %j is not found, on every path', async (id) => {
    for (const answer of [
      await rpc.getTask(id),
      await rpc.cancelTask(id),
      await rpc.send('x', { taskId: id }),
      await rpc.call('SubscribeToTask', { id }),
    ])
      expect(answer.error.code).toBe(-32001);
    const path = `/tasks/${encodeURIComponent(id)}`;
    for (const answer of [
      await user.get(path),
      await user.get(`${path}/events`),
      await user.get(`${path}/replay`),
      await user.get(`${path}/tree`),
      await user.get(`/cancellations/${encodeURIComponent(id)}`),
      await agent.emit(id, 'working'),
      await agent.chunk(id, 'a', ['x']),
      await user.cancel(id),
    ])
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([
        404,
        'application/problem+json',
      ]);
  });

  it.each(malformed)('C45 the malformed id %j is refused', async (id) => {
    for (const answer of [
      await rpc.getTask(id),
      await rpc.cancelTask(id),
      await rpc.send('x', id === '' ? { messageId: '' } : { taskId: id }),
    ])
      expect(answer.error.code).toBe(-32602);
    if (id !== '')
      expect((await user.row(id)).problem).toMatchObject({ status: 400, code: 'invalid-request' });
  });

  it.each(hostile.filter((id) => id !== ' '))(
    'C45 %j as context, message and artifact id is kept as sent',
    async (id) => {
      const task = await rpc.newTask('x', { contextId: id, messageId: id });
      expect(task.contextId).toBe(id);
      const recorded = await agent.chunk(task.id, id, ['one']);
      expect(recorded.status).toBe(200);
      expect((await agent.chunk(task.id, id, ['two'], { append: true })).status).toBe(200);
      const stored = (await rpc.getTask(task.id)).result;
      expect(stored.artifacts).toEqual([artifact(id, ['one', 'two'])]);
      expect(stored.history?.[0]?.messageId).toBe(id);
      expect((await rpc.listTasks({ contextId: id })).result.tasks.map((each) => each.id)).toEqual([task.id]);
      expect((await user.rows(`contextId=${encodeURIComponent(id)}`)).body.totalSize).toBe(1);
    },
  );

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"a":{"__proto__":{"isAdmin":true}}}',
  ])('C45 metadata %s is returned exactly as sent, or refused', async (metadata) => {
    const message = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":${metadata}}`;
    const answer = await rpc.raw(
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message},"configuration":{"returnImmediately":true}}}`,
    );
    if (answer.code === undefined) {
      const { task } = answer.result as { task: { id: string } };
      expect((await rpc.getTask(task.id)).http.text).toContain(metadata);
    } else expect(answer.code).toBe(-32602);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    const healthy = await rpc.newTask();
    expect(healthy).not.toHaveProperty('isAdmin');
    expect(healthy.metadata ?? {}).not.toHaveProperty('isAdmin');
  });

  it.each([
    '/ledger/v1/tasks/../../x',
    '/ledger/v1/tasks/a/b',
    '/ledger/v1/tasks/a%2Fb',
    '/ledger/v1/tasks/%2e%2e%2f%2e%2e%2fx',
    '/ledger/v1/tasks/__proto__/events',
    '/ledger/v1/tasks/$all/events',
    '/ledger/v1/tasks//events',
    "/ledger/v1/tasks/a');%20DROP%20TABLE%20events;--",
    '/ledger/v1/tasks/%ff%fe',
    '/ledger/v1/tasks/%00',
    '/ledger/v1/../../etc/passwd',
  ])('C45 the raw path %s meets no other route and no fault', async (path) => {
    const status = await rawGet(service.url, path);
    expect([400, 404]).toContain(status);
  });

  it('C45 the log is whole after all of it', async () => {
    const { id } = await rpc.newTask();
    expect((await agent.emit(id, 'completed')).status).toBe(200);
    await service.restart();
    expect((await rpc.getTask(id)).result.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

/** A GET whose path no client library has tidied up. Answers the status. */
const rawGet = (url: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const headers = Object.entries(callerHeaders(alice)).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ledger\r\nConnection: close\r\n${headers.join('')}\r\n`);
    });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]));
    });
  });
