import type { FastifyRequest } from 'fastify';
import { revisionAfter } from '../events.controller.js';
import { lastEventIdOf, waitForOf, wantsEventStream, writeOptionsOf } from './headers.js';

const request = (headers: Record<string, string>): FastifyRequest =>
  ({ headers }) as unknown as FastifyRequest;

describe('the headers of a write', () => {
  it('may be absent', () => {
    expect(writeOptionsOf(request({}))).toEqual({});
  });

  it('give the key and the revision', () => {
    expect(writeOptionsOf(request({ 'idempotency-key': 'k', 'if-match': '"12"' }))).toEqual({
      idempotencyKey: 'k',
      ifMatch: 12,
    });
  });

  it.each([
    ['idempotency-key', ''],
    ['idempotency-key', 'a'.repeat(257)],
    ['if-match', '12'],
    ['if-match', '*'],
    ['if-match', '"x"'],
    ['if-match', '"-1"'],
    ['if-match', '"012"'],
    ['if-match', 'W/"1"'],
  ])('are refused by name: %s: %s', (name, value) => {
    expect(() => writeOptionsOf(request({ [name]: value }))).toThrow(name);
  });

  it('are refused when two keys come in one request, which Node joins to a third', () => {
    const raw = { headersDistinct: { 'idempotency-key': ['a', 'b'] } };
    const twice = { headers: { 'idempotency-key': 'a, b' }, raw } as unknown as FastifyRequest;
    expect(() => writeOptionsOf(twice)).toThrow('more than once');
  });
});

describe('the headers of a read', () => {
  it('count as absent when they are empty', () => {
    expect(waitForOf(request({ 'ledger-wait-for': '' }))).toBeUndefined();
    expect(lastEventIdOf(request({ 'last-event-id': '' }))).toBeUndefined();
  });

  it.each([
    ['text/event-stream', true],
    ['application/json, text/event-stream', true],
    ['application/json', false],
    ['*/*', false],
  ])('Accept: %s asks for a stream: %s', (accept, expected) => {
    expect(wantsEventStream(request({ accept }))).toBe(expected);
  });

  it.each([
    ['t-1.4', 5],
    ['t-1.0', 1],
    ['t-2.4', undefined],
    ['t-1.x', undefined],
    ['t-1.6', undefined],
    ['t-1.', undefined],
    ['nonsense', undefined],
    [undefined, undefined],
  ])('C17 Last-Event-ID %s of task t-1, which stands at 5, resumes at %s', (id, expected) => {
    expect(revisionAfter({ taskId: 't-1', revision: 5 }, id)).toBe(expected);
  });
});
