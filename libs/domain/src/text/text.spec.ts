import { refusalOf } from '../testing/given.js';
import { isInstant, justAfter, later, millisecondsAfter, toInstant } from '../time.js';
import { assertId, idLengthMax, isId } from './ids.js';
import { firstCharacters } from './prefix.js';
import { quotedPrefix, utf8Bytes } from './utf8.js';
import { assertWellFormed, jsonDepthMax, wellFormed } from './well-formed.js';

const encoder = new TextEncoder();
const fieldOf = (value: unknown, field = 'body') =>
  refusalOf(() => {
    assertWellFormed(value, field);
  }).detail.field;

describe('C13 text', () => {
  it.each(['ok 😀 שלום e\u0301', '', '\t\n', '\u{10ffff}', '\u0001'])('%j is kept', (text) => {
    expect(wellFormed(text)).toBe(true);
    expect(() => {
      assertWellFormed({ [text]: [text] }, '');
    }).not.toThrow();
  });

  it.each(['a\u0000b', 'x\ud83dy', '\udc00', '\ude00\ud83d'])('%j is refused', (text) => {
    expect(wellFormed(text)).toBe(false);
  });

  it.each([
    [{ parts: [{ text: 'ok' }, { text: 'a\u0000b' }] }, 'message', 'message.parts[1].text'],
    [{ a: { b: ['\ud83d'] } }, '', 'a.b[0]'],
    [{ metadata: { 'x\ud83dy': 1 } }, 'message', 'message.metadata'],
    ['\u0000', 'contextId', 'contextId'],
    [[['\u0000']], '', '[0][0]'],
    [{ first: '\u0000', second: '\u0000' }, '', 'first'],
  ])('%j in %p is refused by its place', (value, field, place) => {
    expect(fieldOf(value, field)).toBe(place);
  });

  it('nested a hundred levels is kept, deeper is refused without harm', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
    expect(() => {
      assertWellFormed(nested(jsonDepthMax), 'body');
    }).not.toThrow();
    expect(
      refusalOf(() => {
        assertWellFormed(nested(100_000), 'body');
      }).code,
    ).toBe('invalid-request');
  });

  it('under a key that JavaScript knows is looked at too', () => {
    expect(fieldOf(JSON.parse('{"__proto__":{"x":"\\u0000"}}'), 'metadata')).toBe('metadata.__proto__.x');
  });
});

describe('C45 an id', () => {
  it.each([
    'x',
    '__proto__',
    'constructor',
    '../../x',
    'a%2Fb',
    'x:cancel',
    '$all',
    '😀',
    ' ',
    'x'.repeat(idLengthMax),
  ])('%j is an id', (id) => {
    expect(isId(id)).toBe(true);
  });

  it.each([
    '',
    'x'.repeat(idLengthMax + 1),
    'a\nb',
    '\u007f',
    '\u0085',
    '\u0000',
    '\ud83d',
    7,
    null,
    undefined,
    {},
  ])('%j is none', (id) => {
    expect(isId(id)).toBe(false);
    expect(
      refusalOf(() => {
        assertId(id, 'taskId');
      }),
    ).toMatchObject({
      code: 'invalid-request',
      detail: { field: 'taskId' },
    });
  });
});

describe('bytes of UTF-8', () => {
  it.each(['', 'ascii', 'é', '߿', 'ࠀ', '￿', '😀', 'mixed é 😀 ש'])('of %j', (text) => {
    expect(utf8Bytes(text)).toBe(encoder.encode(text).length);
  });

  it('of a prefix stay within the limit, and never cut a pair', () => {
    const json = JSON.stringify({ text: '"\\é😀ש'.repeat(5) });
    for (let limit = 2; limit < 120; limit += 1) {
      const prefix = quotedPrefix(json, limit);
      expect(json.startsWith(prefix)).toBe(true);
      expect(encoder.encode(JSON.stringify(prefix)).length).toBeLessThanOrEqual(limit);
      expect(wellFormed(prefix)).toBe(true);
    }
  });
});

describe('the first characters of a text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['a😀', 2, 'a'],
    ['a😀', 3, 'a😀'],
    ['😀', 1, ''],
    ['', 1, ''],
  ])('of %j, at most %d', (text, limit, first) => {
    expect(firstCharacters(text, limit)).toBe(first);
  });
});

describe('C07 an instant', () => {
  it.each([
    ['2026-01-01T10:00:00+02:00', '2026-01-01T08:00:00.000Z'],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000Z'],
    ['2026-01-01t10:00:00.5z', '2026-01-01T10:00:00.500Z'],
    ['2026-01-01T10:00:00.123456789Z', '2026-01-01T10:00:00.123Z'],
    ['2025-12-31T23:30:00-01:00', '2026-01-01T00:30:00.000Z'],
    ['2028-02-29T10:00:00Z', '2028-02-29T10:00:00.000Z'],
  ])('%s is kept as %s', (text, instant) => {
    expect(toInstant(text, 'occurredAt')).toBe(instant);
  });

  it.each([
    '',
    '2026-01-01',
    '2026-01-01T10:00:00',
    '1700000000',
    1_700_000_000,
    null,
    '2026-02-30T25:00:00Z',
    '2026-02-29T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
  ])('%j is none', (value) => {
    expect(refusalOf(() => toInstant(value, 'occurredAt')).detail).toEqual({ field: 'occurredAt' });
  });

  it('is compared as text', () => {
    expect(later('2026-01-01T10:00:00.000Z', '2025-12-31T23:59:59.999Z')).toBe('2026-01-01T10:00:00.000Z');
    expect(justAfter('2025-12-31T23:59:59.999Z')).toBe('2026-01-01T00:00:00.000Z');
    expect(millisecondsAfter('2025-12-31T23:59:59.999Z', 86_400_000)).toBe('2026-01-01T23:59:59.999Z');
    expect(isInstant('2026-01-01T10:00:00Z')).toBe(false);
  });
});
