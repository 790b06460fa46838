import { DomainError, jsonDepthMax } from '#domain';
import { parseJson, takesRawBody } from './json-body.js';

const refusalOf = (text: string): DomainError => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
};

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a JSON body', () => {
  it.each([
    '{"a":1,"b":[null,true,"x"]}',
    '"ok 😀 שלום e\\u0301"',
    '[]',
    '{"constructor":{"prototype":{"x":1}}}',
  ])('is read as it was sent: %s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it.each(['', '{"a":', '{a:1}', 'undefined', '{"a":1}x'])('that is not JSON is refused: %j', (text) => {
    expect(refusalOf(text)).toMatchObject({ code: 'invalid-request', detail: { field: 'body' } });
  });

  it.each([
    ['{"metadata":{"__proto__":{"isAdmin":true}}}', 'metadata.__proto__'],
    ['{"metadata":{"\\u005f_proto__":{"isAdmin":true}}}', 'metadata.__proto__'],
    ['{"__proto__":1}', '__proto__'],
    ['[{"a":[{"__proto__":null}]}]', '[0].a[0].__proto__'],
  ])('C45 with a key that poisons maps is refused by its path: %s', (text, field) => {
    expect(refusalOf(text).detail).toEqual({ field });
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it.each([
    ['{"message":{"parts":[{"text":"a\\u0000b"}]}}', 'message.parts[0].text'],
    ['{"message":{"parts":[{"text":"x\\ud83dy"}]}}', 'message.parts[0].text'],
    ['{"metadata":{"x\\ud83dy":1}}', 'metadata.x\ufffdy'],
    ['{"metadata":{"a\\u0000b":1}}', 'metadata.a\ufffdb'],
    ['"\\udc00"', 'body'],
  ])('C13 with text that cannot be stored as it is is refused by its path: %s', (text, field) => {
    expect(refusalOf(text).detail).toEqual({ field });
  });

  it('C13 with a whole surrogate pair in escapes is kept', () => {
    expect(parseJson('"\\ud83d\\ude00"')).toBe('😀');
  });

  it('with a number that JSON cannot write again is refused', () => {
    expect(refusalOf('{"metadata":{"n":1e999}}').detail).toEqual({ field: 'metadata.n' });
  });

  it('may be nested to the limit and not deeper', () => {
    expect(() => parseJson(nested(jsonDepthMax))).not.toThrow();
    expect(refusalOf(nested(jsonDepthMax + 1)).message).toContain('nested deeper');
    expect(refusalOf(nested(1_000_000)).code).toBe('invalid-request');
  });

  it('below /a2a is left to that surface', () => {
    expect(takesRawBody('/a2a/jsonrpc')).toBe(true);
    expect(takesRawBody('/ledger/v1/tasks')).toBe(false);
  });
});
