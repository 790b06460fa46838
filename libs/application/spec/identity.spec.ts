import { nameBasedUuid, positionsOf, requestHash, streamNames, systemIds } from '../src/index.js';
import { RisingIds } from '../src/ports/system.js';

const refused = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('positions', () => {
  const positions = positionsOf('abcd1234');
  const position = '00000000000000000042';

  it('carry the log’s id, and come back as they were', () => {
    expect(positions.toEdge(position)).toBe('abcd1234-00000000000000000042');
    expect(positions.parse('abcd1234-00000000000000000042')).toBe(position);
  });

  it.each([
    '',
    '42',
    position,
    `abcd1234-${position}0`,
    `abcd1234-${position.slice(1)}`,
    `zzzz9999-${position}`,
    `ABCD1234-${position}`,
  ])('refuse what this ledger did not give out: %j', (edge) => {
    expect(refused(() => positions.parse(edge, 'from'))).toMatchObject({
      code: 'invalid-request',
      detail: { field: 'from' },
    });
  });
});

describe('stream names', () => {
  const names = streamNames('ledger');

  it('say what a stream is about, whatever characters an id has', () => {
    expect(names.subjectOf(names.task('a-b.c-1'))).toEqual({ kind: 'task', taskId: 'a-b.c-1' });
    expect(names.subjectOf(names.late('t'))).toEqual({ kind: 'late', taskId: 't' });
    expect(names.subjectOf(names.cancellation('c'))).toEqual({ kind: 'cancellation', cancellationId: 'c' });
    expect(names.subjectOf(names.log)).toEqual({ kind: 'log' });
    expect(names.taskIdOf(names.task('x'))).toBe('x');
  });

  it.each(['ledger.erasure-1', 'ledger.task-', 'ledger.', 'ledger2.task-1', 'task-1'])(
    'leave alone what they do not know: %s',
    (stream) => {
      expect(names.subjectOf(stream)).toEqual({ kind: 'other' });
    },
  );
});

describe('ids', () => {
  const uuid = (version: string) =>
    new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`);

  it('of tasks are UUIDv7 that rise, also within a millisecond and when the clock steps back', () => {
    const clock = { milliseconds: 1_772_000_000_000, now: () => clock.milliseconds };
    const rising = new RisingIds(clock);
    const ids = Array.from({ length: 10_000 }, () => rising.next());
    clock.milliseconds -= 60_000;
    ids.push(rising.next());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => uuid('7').test(id))).toBe(true);
    expect(parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16)).toBe(1_772_000_000_000);
  });

  it('of this system are of version 7 and 4', () => {
    expect(systemIds.taskId()).toMatch(uuid('7'));
    expect(systemIds.uuid()).toMatch(uuid('4'));
  });

  it('by name are UUIDv8, the same for the same parts and another for any other', () => {
    const parts = ['log', 'acme', 'alice', 'send', null, 'k'];
    expect(nameBasedUuid(parts)).toMatch(uuid('8'));
    expect(nameBasedUuid([...parts])).toBe(nameBasedUuid(parts));
    const others = [
      ['log', 'acme', 'alice', 'send', 'null', 'k'],
      ['log', 'acme', 'alices', 'end', null, 'k'],
      parts.slice(1),
    ];
    expect(new Set([parts, ...others].map(nameBasedUuid)).size).toBe(4);
  });

  it('a request’s hash does not depend on the order of keys, and depends on everything else', () => {
    expect(requestHash({ a: 1, b: { c: [1, 2], d: 'x' } })).toBe(
      requestHash({ b: { d: 'x', c: [1, 2] }, a: 1 }),
    );
    expect(requestHash({ a: [1, 2] })).not.toBe(requestHash({ a: [2, 1] }));
    expect(requestHash({ a: undefined })).toBe(requestHash({}));
  });
});
