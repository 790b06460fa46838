import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, callerHeaders, httpRequest, useService } from '../support/index.js';

describe('C03 a client mistake is named as one, in the right class', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const request = (more: object): object => ({ jsonrpc: '2.0', id: 1, method: 'SendMessage', ...more });
  const message = (more: object): object => ({
    message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...more },
  });

  it('C03 broken JSON is -32700 with a null id', async () => {
    const { json } = await rpc.raw('{"jsonrpc":"2.0",');
    expect(json.error?.code).toBe(-32700);
    expect(json.id).toBeNull();
  });

  it.each([
    ['a batch', []],
    ['no version of JSON-RPC', { id: 1, method: 'GetTask', params: { id: 'x' } }],
    ['a method that is no string', request({ method: 7 })],
    ['a request that is a string', '"GetTask"'],
  ])('C03 %s is -32600', async (_, body) => {
    expect((await rpc.raw(body)).error.code).toBe(-32600);
  });

  it('C03 an unknown method is -32601', async () => {
    expect((await rpc.raw(request({ method: 'Nope' }))).error.code).toBe(-32601);
  });

  it.each([
    ['empty parts', message({ parts: [] }), 'message.parts'],
    ['no messageId', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }, 'message.messageId'],
    ['no role', { message: { messageId: 'm', parts: [{ text: 'x' }] } }, 'message.role'],
    ['a role that does not exist', message({ role: 'ROLE_KING' }), 'message.role'],
    ['parts that are no list', message({ parts: 'hi' }), 'message.parts'],
    ['a part with nothing in it', message({ parts: [{}] }), 'message.parts'],
    ['a part that is two things', message({ parts: [{ text: 'x', data: { a: 1 } }] }), 'message.parts'],
    ['a negative history length', { ...message({}), configuration: { historyLength: -1 } }, 'historyLength'],
    ['no message', {}, 'message'],
  ])('C03 SendMessage with %s is -32602 and names the field', async (_, params, field) => {
    const answer = await rpc.call('SendMessage', params);
    expect(answer.error.code).toBe(-32602);
    expect(JSON.stringify(answer.error)).toContain(field);
    expect((await rpc.listTasks()).result.totalSize).toBe(0);
  });

  it('C03 params that are no object are -32602', async () => {
    expect((await rpc.raw(request({ params: ['x'] }))).error.code).toBe(-32602);
  });

  it.each([0, null, 'text', 12])('C03 the id %j comes back as it was sent', async (id) => {
    const answer = await rpc.raw({ jsonrpc: '2.0', id, method: 'GetTask', params: { id: 'unknown' } });
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32001 } });
    expect(answer.http.status).toBe(200);
  });

  it('C03 an error carries its reason in a list of typed details (A2A §9.5)', async () => {
    const { error } = await rpc.getTask('unknown');
    expect(error.data).toEqual([
      expect.objectContaining({
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_FOUND',
        domain: 'a2a-protocol.org',
      }),
    ]);
  });

  it('C03 streaming methods refuse bad params with a plain answer', async () => {
    const answer = await rpc.call('SendStreamingMessage', message({ parts: [] }));
    expect(answer.error.code).toBe(-32602);
    expect(answer.http.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('C03 the endpoint answers with and without a slash at its end', async () => {
    for (const url of [rpc.endpoint, `${rpc.endpoint}/`]) {
      const answer = await httpRequest(url, {
        method: 'POST',
        headers: { 'A2A-Version': '1.0', ...callerHeaders(alice) },
        body: { jsonrpc: '2.0', id: 9, method: 'ListTasks', params: {} },
      });
      expect(answer.body).toMatchObject({ id: 9, result: { totalSize: 0 } });
    }
  });

  it.each([{ 'A2A-Version': '99.0' }, { 'A2A-Version': '' }, { 'A2A-Version': '0.3' }])(
    'C01 a version that is not served is -32009 and stores nothing: %j',
    async (headers) => {
      const answer = await rpc.raw(request({ params: message({}) }), headers);
      expect(answer.error.code).toBe(-32009);
      expect((await rpc.listTasks()).result.totalSize).toBe(0);
    },
  );

  it('C01 the patch digit of a version does not count', async () => {
    const answer = await rpc.call('ListTasks', {}, { 'A2A-Version': '1.0.7' });
    expect(answer.result).toMatchObject({ tasks: [] });
  });
});
