import fc from 'fast-check';
import { factOn, factsOf, putAllOn, putOn, shelfSizeMin, shelvesOf, type Shelves } from './shelves.js';

type Entry = readonly [id: string, fact: number];

const ids = fc.oneof(fc.constantFrom('a', 'b', '7', '__proto__', 'constructor'), fc.string({ maxLength: 3 }));
const entries = fc.array(fc.tuple(ids, fc.nat()), { maxLength: 80 });
const changes = fc.array(entries, { maxLength: 30 });

/** One fact is put by itself, more of them together. */
const put = (shelves: Shelves<number>, [first, ...more]: readonly Entry[]): Shelves<number> => {
  if (first === undefined) return shelves;
  return more.length === 0 ? putOn(shelves, first[0], first[1]) : putAllOn(shelves, [first, ...more]);
};

const numbered = (from: number, count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => [`k${String(from + index)}`, from + index]);

describe('facts on shelves', () => {
  it('are the newest of each id, whatever the ids are', () => {
    fc.assert(
      fc.property(changes, (order) => {
        const shelves = order.reduce(put, []);
        const expected = new Map(order.flat());
        for (const [id, fact] of expected) expect(factOn(shelves, id)).toBe(fact);
        expect(new Map(factsOf(shelves))).toEqual(expected);
        expect(factsOf(shelves)).toHaveLength(expected.size);
        expect(factOn(shelves, 'toString and more')).toBeUndefined();
      }),
    );
  });

  it('leave the shelves before them as they were', () => {
    const before = putAllOn([], numbered(0, 40));
    const copy = structuredClone(before);
    putAllOn(before, numbered(10, 50));
    putOn(before, 'k1', 7);
    expect(before).toEqual(copy);
  });

  it('lie on few shelves, each larger than the next, however they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 60 }), (batches) => {
        let shelves: Shelves<number> = [];
        let put = 0;
        for (const count of batches) {
          shelves = putAllOn(shelves, numbered(put, count));
          put += count;
        }
        const counts = shelves.map(({ count }) => count);
        const full = counts.filter((count) => count >= shelfSizeMin);
        expect(full).toEqual([...full].sort((one, other) => other - one));
        expect(counts.length).toBeLessThanOrEqual(2 + Math.log2(put));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(put);
      }),
      { numRuns: 50 },
    );
  });

  it('put together are found as those put one by one', () => {
    const facts = numbered(0, 1_000);
    const together = putAllOn(shelvesOf(facts.slice(0, 100)), facts.slice(100));
    expect(new Map(factsOf(together))).toEqual(new Map(facts));
    expect(putAllOn(together, [])).toBe(together);
  });
});
