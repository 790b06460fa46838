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

/** Facts that are being put together; nobody else sees them yet. */
type Table<Fact> = Record<string, Fact>;

/** Takes the place of an older fact; says how many ids that adds. */
const put = <Fact>(table: Table<Fact>, id: string, fact: Fact): number => {
  const added = table[id] === undefined ? 1 : 0;
  table[id] = fact;
  return added;
};

const putShelf = <Fact>(table: Table<Fact>, { facts }: Shelf<Fact>): number => {
  let added = 0;
  for (const id of Object.keys(facts)) added += put(table, id, facts[id] as Fact);
  return added;
};

/**
 * Without a prototype, so that any id is a member like every other (`__proto__` too), and so that thousands of ids can
 * be added one by one: an ordinary object takes several times as long for it.
 */
const emptyTable = <Fact>(): Table<Fact> => Object.create(null) as Table<Fact>;

type Facts<Fact> = readonly (readonly [id: string, fact: Fact])[];

/** One shelf of the facts of some, newest last, and of more. */
const shelfOf = <Fact>(older: Shelves<Fact>, newer: Facts<Fact>): Shelf<Fact> => {
  const facts = emptyTable<Fact>();
  let count = 0;
  for (const shelf of older) count += putShelf(facts, shelf);
  for (const [id, fact] of newer) count += put(facts, id, fact);
  return { count, facts };
};

/** Each shelf is larger than the next one, so that there are few of them. */
const merged = <Fact>(shelves: Shelves<Fact>): Shelves<Fact> => {
  const [older, newer] = shelves.slice(-2);
  if (older === undefined || newer === undefined || older.count > newer.count) return shelves;
  return merged([...shelves.slice(0, -2), shelfOf([older, newer], [])]);
};

/** The shelves with one more fact, or with a newer one. */
export const putOn = <Fact>(shelves: Shelves<Fact>, id: string, fact: Fact): Shelves<Fact> => {
  const newest = shelves.at(-1);
  const isOpen = newest !== undefined && newest.count < shelfSizeMin;
  const before = isOpen ? shelves.slice(0, -1) : merged(shelves);
  return [...before, shelfOf(isOpen ? [newest] : [], [[id, fact]])];
};

/** The shelves with many more facts, or newer ones, for the cost of one change. */
export const putAllOn = <Fact>(shelves: Shelves<Fact>, facts: Facts<Fact>): Shelves<Fact> => {
  if (facts.length === 0) return shelves;
  const newest = shelves.at(-1);
  const isOpen = newest !== undefined && newest.count < shelfSizeMin;
  const before = isOpen ? shelves.slice(0, -1) : shelves;
  return merged([...before, shelfOf(isOpen ? [newest] : [], facts)]);
};

/** Facts as they come to stand when they are put one by one: full shelves become larger ones as a binary counter counts. */
export const shelvesOf = <Fact>(facts: Facts<Fact>): Shelves<Fact> => {
  if (facts.length === 0) return [];
  const full = Math.ceil(facts.length / shelfSizeMin) - 1;
  const shelves: Shelf<Fact>[] = [];
  let from = 0;
  const take = (count: number): void => {
    shelves.push(shelfOf([], facts.slice(from, from + count)));
    from += count;
  };
  for (let size = 2 ** (31 - Math.clz32(full)); size >= 1; size /= 2) {
    if ((full & size) !== 0) take(size * shelfSizeMin);
  }
  take(shelfSizeMin);
  return shelves;
};

/** Every id once, with the fact that holds. */
export const factsOf = <Fact>(shelves: Shelves<Fact>): [id: string, fact: Fact][] => {
  if (shelves.length === 1) return Object.entries(shelves[0]?.facts ?? {});
  const facts = new Map<string, Fact>();
  for (const shelf of shelves) for (const [id, fact] of Object.entries(shelf.facts)) facts.set(id, fact);
  return [...facts];
};
