/** Some facts, by the ids they are about. An id may stand on an older shelf too; the newer fact holds. */
export interface Shelf<Fact> {
  readonly count: number;
  readonly facts: Readonly<Record<string, Fact>>;
}

/**
 * Facts about many ids, newest shelf last. A change copies the newest shelf and no other; full shelves of like size
 * become one. So a task with a hundred thousand artifacts or children is folded without copying them all for each,
 * and an id is found in a dozen steps, whatever ids a client chooses.
 */
export type Shelves<Fact> = readonly Shelf<Fact>[];

/** Facts of the newest shelf. */
export const shelfSizeMin = 32;

/** Newer shelves win; own members alone count, for a client chose the id (C45). */
export const factOn = <Fact>(shelves: Shelves<Fact>, id: string): Fact | undefined => {
  for (let index = shelves.length - 1; index >= 0; index -= 1) {
    const facts = shelves[index]?.facts;
    if (facts !== undefined && Object.hasOwn(facts, id)) return facts[id];
  }
  return undefined;
};

const shelfOf = <Fact>(facts: Shelf<Fact>['facts']): Shelf<Fact> => ({
  count: Object.keys(facts).length,
  facts,
});

/** Each shelf is larger than the next one, so that there are few of them. */
const merged = <Fact>(shelves: Shelves<Fact>): Shelves<Fact> => {
  const [older, newer] = shelves.slice(-2);
  if (older === undefined || newer === undefined || older.count > newer.count) return shelves;
  return merged([...shelves.slice(0, -2), shelfOf({ ...older.facts, ...newer.facts })]);
};

/** The shelves with one more fact, or with a newer one. */
export const putOn = <Fact>(shelves: Shelves<Fact>, id: string, fact: Fact): Shelves<Fact> => {
  const newest = shelves.at(-1);
  const isOpen = newest !== undefined && newest.count < shelfSizeMin;
  const before = isOpen ? shelves.slice(0, -1) : merged(shelves);
  // A computed key makes an own member of any id, `__proto__` too.
  return [...before, shelfOf({ ...(isOpen && newest.facts), [id]: fact })];
};

/** Facts as they come to stand when they are put one by one: full shelves become larger ones as a binary counter counts. */
export const shelvesOf = <Fact>(facts: readonly (readonly [id: string, fact: Fact])[]): Shelves<Fact> => {
  if (facts.length === 0) return [];
  const full = Math.ceil(facts.length / shelfSizeMin) - 1;
  const shelves: Shelf<Fact>[] = [];
  let from = 0;
  const take = (count: number): void => {
    shelves.push(shelfOf(Object.fromEntries(facts.slice(from, from + count))));
    from += count;
  };
  for (let size = 2 ** (31 - Math.clz32(full)); size >= 1; size /= 2) {
    if ((full & size) !== 0) take(size * shelfSizeMin);
  }
  take(shelfSizeMin);
  return shelves;
};
