import type { DueTimer } from '#application';
import { failedMs, FiredTimers, firedMs } from '../src/timers/fired-timers.js';

const timer = (taskId: string): DueTimer => ({ taskId, kind: 'deadline', dueAt: '2026-03-01T12:00:00.000Z' });
const [one, other] = [timer('one'), timer('other')];

let now: number;
let fired: FiredTimers;
beforeEach(() => {
  now = 0;
  fired = new FiredTimers(() => now);
});

const others = (...found: readonly DueTimer[]): readonly string[] =>
  fired.others(found).map(({ taskId }) => taskId);

describe('a timer that was fired and is still shown', () => {
  it('is passed over for a while, and no other is', () => {
    fired.add(one);
    expect(others(one, other)).toEqual(['other']);
    now = firedMs - 1;
    expect(others(one)).toEqual([]);
    now = firedMs;
    expect(others(one)).toEqual(['one']);
  });

  it('is forgotten when it is not shown any more', () => {
    fired.add(one);
    expect(others(other)).toEqual(['other']);
    expect(fired.size).toBe(0);
    expect(others(one)).toEqual(['one']);
  });
});

describe('a timer that cannot be fired', () => {
  it('is tried ever less often, and in the end as often as one that was fired', () => {
    const pauses: number[] = [];
    for (let failure = 1; failure <= 7; failure += 1) {
      fired.add(one);
      expect(fired.failed(one)).toBe(failure);
      const failedAt = now;
      while (others(one).length === 0) now += failedMs / 2;
      pauses.push(now - failedAt);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1_000));
  });

  it('begins anew where it was gone in between', () => {
    fired.failed(one);
    fired.failed(one);
    others();
    expect(fired.failed(one)).toBe(1);
  });
});
