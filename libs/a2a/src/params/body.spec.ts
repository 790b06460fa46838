import { DomainError } from '#domain';
import { assertStorable } from './body.js';

const refused = (text: string): unknown => {
  try {
    assertStorable(text, JSON.parse(text));
  } catch (error) {
    return error instanceof DomainError ? `${error.code} ${String(error.detail.field)}` : error;
  }
  return undefined;
};

describe('C13 text that cannot be kept', () => {
  it.each([
    ['NUL in a text', '{"a":["a\\u0000b"]}', 'a[0]'],
    ['a lone high half', '{"a":"x\\ud83dy"}', 'a'],
    ['a lone low half', '{"a":"x\\uDE00y"}', 'a'],
    ['halves in the wrong order', '{"a":"\\ude00\\ud83d"}', 'a'],
    ['NUL in a key', '{"m":{"k\\u0000":1}}', 'm.k\ufffd'],
  ])('%s is refused', (_what, text, field) => {
    expect(refused(text)).toBe(`invalid-request ${field}`);
  });

  it.each(['{"a":"ok 😀 שלום e\u0301"}', '{"a":"\\ud83d\\ude00 \\u05e9"}', '{"a":"\\\\u0000 written out"}'])(
    'what is well formed passes: %s',
    (text) => {
      expect(refused(text)).toBeUndefined();
    },
  );
});

it.each([
  ['C45 the name __proto__', '{"metadata":{"__proto__":{"isAdmin":true}}}', 'metadata.__proto__'],
  ['C45 the name __proto__, written in escapes', '{"metadata":{"\\u005f_proto__":1}}', 'metadata.__proto__'],
  ['a number that JSON cannot write again', '{"a":1e400}', 'a'],
  ['a number of very many digits', `{"a":${'9'.repeat(400)}}`, 'a'],
  ['a body nested too deep', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, `a${'[0]'.repeat(99)}`],
])('%s is refused', (_what, text, field) => {
  expect(refused(text)).toBe(`invalid-request ${field}`);
});

it.each(['{"a":1e10}', `{"a":[${'[1],'.repeat(200)}2]}`, '{"a":"__proto__"}'])('harmless: %.40s', (text) => {
  expect(refused(text)).toBeUndefined();
});
