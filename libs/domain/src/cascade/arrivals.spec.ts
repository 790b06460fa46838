import { childrenOf } from '../task/children.js';
import type { ChildFact } from '../task/state.js';
import { at } from '../testing/events.js';
import { linksBefore, linksBelow, type LinkBelow } from './arrivals.js';
import type { EventPlace } from './scope.js';

const child = (revision: number): ChildFact => ({ policy: 'cascade', onEnd: 'abandon', revision });

describe('the links below a task', () => {
  it('stand in the order of the log: its own by revision, then the late ones', () => {
    const links = linksBelow(
      {
        taskId: 'p',
        children: childrenOf([
          ['b', child(9)],
          ['a', child(3)],
        ]),
      },
      { children: childrenOf([['z', child(0)]]) },
    );
    expect(links.map(({ taskId, late }) => [taskId, late])).toEqual([
      ['a', false],
      ['b', false],
      ['z', true],
    ]);
  });
});

describe('the links that stand before a place in the log', () => {
  const place = (position: number): EventPlace => ({
    position: String(position).padStart(9, '0'),
    eventId: `e${String(position)}`,
    at: at(0),
  });
  // The own links stand at ten times their revision, the late ones beyond all of them.
  const own = (revision: number) => place(revision * 10);
  const late = (revision: number) => place(1_000_000 + revision * 10);
  const links = (count: number, lates: number): readonly LinkBelow[] => [
    ...Array.from({ length: count }, (_, index) => link(`c${String(index)}`, index + 1, false)),
    ...Array.from({ length: lates }, (_, index) => link(`l${String(index)}`, index, true)),
  ];
  const link = (taskId: string, revision: number, isLate: boolean): LinkBelow => ({
    taskId,
    parentTaskId: 'p',
    child: child(revision),
    late: isLate,
  });

  it.each([
    [5, 0],
    [10, 0],
    [11, 1],
    [35, 3],
    [999_999, 4],
    [1_000_000, 4],
    [1_000_001, 5],
    [9_000_000, 6],
  ])('at %s: %s of them', (position, count) => {
    const all = links(4, 2);
    expect(linksBefore(all, place(position), { own, late })).toEqual({ before: all.slice(0, count) });
  });

  it('are found by asking for fourteen places of ten thousand', () => {
    const all = links(10_000, 0);
    const placed = new Map<number, EventPlace>();
    for (;;) {
      const found = linksBefore(all, place(77_775), { own: (revision) => placed.get(revision), late });
      if ('before' in found) {
        expect(found.before).toHaveLength(7_777);
        break;
      }
      const { revision } = found.unplaced.child;
      expect(placed.has(revision)).toBe(false);
      placed.set(revision, own(revision));
    }
    expect(placed.size).toBeLessThanOrEqual(14);
  });
});
