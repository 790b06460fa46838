import { fromPosition } from '../../positions.js';
import type { WrittenAppend } from './append-queue.js';
import { RecentEvents } from './recent-events.js';

const signal = new AbortController().signal;

/** Appends of `count` events each, the first at position `first`. */
const appends = (stream: string, first: number, ...counts: number[]): WrittenAppend[] => {
  let position = first - 1;
  return counts.map((count) => {
    position += count;
    const events = Array.from({ length: count }, () => ({
      id: 'i',
      type: 't',
      data: '0123456789',
      metadata: '',
    }));
    return { request: { stream, expected: 'any', events }, revision: position - 1, position };
  });
};

const places = (recent: RecentEvents, after: number, prefix = '', limit = 100): number[] | undefined =>
  recent.page({ after, prefix, limit, signal })?.events.map(({ position }) => fromPosition(position));

describe('the recent events', () => {
  it('are every event of what was written, in log order', () => {
    const recent = new RecentEvents(10_000);
    recent.add(appends('test.a', 1, 2, 1), 0);
    recent.add(appends('test.b', 4, 3), 0);
    expect(places(recent, 0)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(places(recent, 1)).toEqual([2, 3, 4, 5, 6]);
    expect(places(recent, 5)).toEqual([6]);
  });

  it('carry revision, position and time of each', () => {
    const recent = new RecentEvents(10_000);
    recent.add(appends('test.a', 1, 2), Date.UTC(2026, 0, 1));
    expect(recent.page({ after: 0, prefix: '', limit: 10, signal })?.events).toMatchObject([
      {
        stream: 'test.a',
        revision: 0,
        position: '00000000000000000001',
        created: '2026-01-01T00:00:00.000Z',
      },
      {
        stream: 'test.a',
        revision: 1,
        position: '00000000000000000002',
        created: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('make pages no larger than asked, each going on where the one before ended', () => {
    const recent = new RecentEvents(10_000);
    recent.add(appends('test.a', 1, 5), 0);
    recent.add(appends('test.a', 6, 5), 0);
    expect(recent.page({ after: 3, prefix: '', limit: 4, signal })?.scannedTo).toBe(7);
    expect(places(recent, 3, '', 4)).toEqual([4, 5, 6, 7]);
    expect(places(recent, 7, '', 4)).toEqual([8, 9, 10]);
  });

  it('leave out what is not under the prefix, and count it as looked at', () => {
    const recent = new RecentEvents(10_000);
    recent.add([...appends('test.a', 1, 1), ...appends('other.a', 2, 3)], 0);
    expect(recent.page({ after: 0, prefix: 'test.', limit: 10, signal })).toMatchObject({ scannedTo: 4 });
    expect(places(recent, 0, 'test.')).toEqual([1]);
    expect(places(recent, 1, 'test.')).toEqual([]);
  });

  it('answer nothing for what they do not hold', () => {
    const recent = new RecentEvents(10_000);
    expect(places(recent, 0)).toBeUndefined();
    recent.add(appends('test.a', 10, 5), 0);
    expect(places(recent, 8)).toBeUndefined();
    expect(places(recent, 9)).toEqual([10, 11, 12, 13, 14]);
    expect(places(recent, 14)).toBeUndefined();
  });

  it('let go of the oldest when they weigh too much', () => {
    const recent = new RecentEvents(100);
    for (let place = 1; place <= 20; place++) recent.add(appends('test.a', place, 1), 0);
    expect(places(recent, 0)).toBeUndefined();
    expect(places(recent, 18)).toEqual([19, 20]);
  });

  it('begin anew after a gap, so that no page ever hides one', () => {
    const recent = new RecentEvents(10_000);
    recent.add(appends('test.a', 1, 2), 0);
    recent.add(appends('test.a', 5, 2), 0);
    expect(places(recent, 0)).toBeUndefined();
    expect(places(recent, 4)).toEqual([5, 6]);
  });
});
