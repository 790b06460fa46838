import { recordedAt } from './fixtures/recorded.js';
import { RecentEvents } from './recent-events.js';

describe('recent events', () => {
  const positions = (recent: RecentEvents, after: string, limit = 100): string[] =>
    recent.after(after, limit).map(({ position }) => position);

  it('bring what stands after a position, at most so many', () => {
    const recent = new RecentEvents('00000000000000000005');
    const [first, second, third] = [10, 20, 30].map(recordedAt);
    for (const event of [first, second, third]) recent.push(event!);
    expect(recent.after('00000000000000000005', 2)).toEqual([first, second]);
    expect(recent.after(second!.position, 2)).toEqual([third]);
    expect(recent.after('00000000000000000025', 2)).toEqual([third]);
    expect(recent.after(third!.position, 2)).toEqual([]);
  });

  it('know which positions they hold', () => {
    const recent = new RecentEvents('');
    recent.push(recordedAt(10));
    expect([recent.has(recordedAt(10).position), recent.has(recordedAt(9).position)]).toEqual([true, false]);
  });

  it.each([
    ['events', new RecentEvents('', 8)],
    ['text', new RecentEvents('', 1_000, 8 * 'task'.length)],
  ])('forget the oldest when they are too many %s, without a gap after the floor', (_, recent) => {
    for (let place = 1; place <= 50; place++) recent.push(recordedAt(place));
    const held = positions(recent, recent.floor);
    expect(held.length).toBeLessThanOrEqual(8);
    expect(held.at(-1)).toBe(recent.newest);
    expect(Number(held[0])).toBe(Number(recent.floor) + 1);
    expect(held).toHaveLength(50 - Number(recent.floor));
  });

  it('keep one event that alone is too much only until the next', () => {
    const recent = new RecentEvents('', 8, 2);
    recent.push(recordedAt(1));
    expect(recent.floor).toBe(recent.newest);
    expect(recent.after('', 10)).toEqual([]);
  });
});
