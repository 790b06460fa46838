import fc from 'fast-check';
import { DomainError } from '#domain';
import { decodeToken, encodeToken, listHash } from '../src/lists/page-token.js';

const token = {
  logId: 'abcd1234',
  asOf: '00000000000000000042',
  run: '7d444840-9dc0-11d1-b245-5ffdce74fad2',
  key: { at: '2026-01-01T00:00:00.000Z', id: 'task-1' },
  total: 7,
};
const hash = listHash('tasks', { tenant: 'acme' }, { contextId: 'c' });
const expected = { logId: 'abcd1234', hash };

const refusal = (attempt: () => unknown): string | undefined => {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof DomainError ? `${error.code} ${String(error.detail.field)}` : String(error);
  }
};

describe('A page token', () => {
  const text = encodeToken(token, hash);

  it('comes back as it was given out', () => {
    expect(decodeToken(text, expected)).toEqual(token);
  });

  it('C14 is refused when any of its characters is another one', () => {
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom('A', 'Z', 'a', 'z', '0', '9', '-', '_', '%'),
        (index, character) => {
          fc.pre(text[index] !== character);
          const damaged = text.slice(0, index) + character + text.slice(index + 1);
          expect(refusal(() => decodeToken(damaged, expected))).toBe('invalid-request pageToken');
        },
      ),
    );
  });

  it.each(['%%%', '', 'A', `${text}A`, `${text}=`, ` ${text}`, text.slice(0, -1), 'x'.repeat(10_000)])(
    'C14 is refused when it is damaged: %.20s',
    (damaged) => {
      expect(refusal(() => decodeToken(damaged, expected))).toBe('invalid-request pageToken');
    },
  );

  it('is refused on another log, with other filters, of another list and by another caller', () => {
    const others = [
      { ...expected, logId: 'other123' },
      { ...expected, hash: listHash('tasks', { tenant: 'acme' }, { contextId: 'd' }) },
      { ...expected, hash: listHash('tasks', { tenant: 'acme', owner: 'ann' }, { contextId: 'c' }) },
      { ...expected, hash: listHash('tasks', { tenant: 'else' }, { contextId: 'c' }) },
      { ...expected, hash: listHash('cancellations', { tenant: 'acme' }, { contextId: 'c' }) },
    ];
    for (const other of others)
      expect(refusal(() => decodeToken(text, other))).toBe('invalid-request pageToken');
  });

  it('does not depend on the order in which filters are given', () => {
    expect(listHash('tasks', { tenant: 'acme' }, { contextId: 'c', link: 'run:1' })).toBe(
      listHash('tasks', { tenant: 'acme' }, { link: 'run:1', contextId: 'c' }),
    );
  });
});
