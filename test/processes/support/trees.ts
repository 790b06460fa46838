import type { LinkPolicy } from '#domain';

/** A task of a tree that is to be grown; its place is its number, the root is 0 and no child comes before its parent. */
export interface PlannedTask {
  readonly place: number;
  /** Undefined for the root. */
  readonly parent?: number;
  readonly policy: LinkPolicy;
  /** Milliseconds; of a cooperative link. */
  readonly graceMs?: number;
  readonly life: 'submitted' | 'working' | 'completed';
}

/** What a cancel of the whole tree comes to for one task; undefined: it is not reached. */
export type ExpectedOutcome = 'canceled' | 'forced' | 'alreadyTerminal' | 'abandoned' | undefined;

const fanOut = 8;
const shortGraceMs = 1_000;
/** Tasks in the first rows, under which most of the tree hangs, are plain ones. */
const firstOfMixed = 1 + fanOut;

const isAsked = (place: number): boolean => place >= firstOfMixed && place % 23 === 11;

const mixedTask = (place: number): PlannedTask => {
  if (place === 0) return { place, policy: 'cascade', life: 'working' };
  const parent = Math.floor((place - 1) / fanOut);
  const plain: PlannedTask = { place, parent, policy: 'cascade', life: 'working' };
  // One under another would add its grace to that of the one above.
  if (isAsked(place) && !isAsked(parent)) return { ...plain, policy: 'cooperative', graceMs: shortGraceMs };
  if (place < firstOfMixed) return plain;
  if (place % 61 === 17) return { ...plain, policy: 'abandon' };
  if (place % 29 === 7) return { ...plain, life: 'completed' };
  if (place % 19 === 3) return { ...plain, life: 'submitted' };
  return plain;
};

/** Eight children each; most are cascaded to, some asked, some abandoned, some ended or never begun. */
export const mixedTree = (descendants: number): readonly PlannedTask[] =>
  Array.from({ length: descendants + 1 }, (_, place) => mixedTask(place));

/** A hundred children, the rest in equal parts below them. */
export const wideTree = (descendants: number, branches = 100): readonly PlannedTask[] =>
  Array.from({ length: descendants + 1 }, (_, place) => {
    const parent = place <= branches ? 0 : 1 + ((place - 1) % branches);
    return { place, policy: 'cascade', life: 'working', ...(place > 0 && { parent }) };
  });

const outcomeOf = (task: PlannedTask): ExpectedOutcome => {
  if (task.policy === 'abandon') return 'abandoned';
  if (task.life === 'completed') return 'alreadyTerminal';
  return task.policy === 'cooperative' && task.life === 'working' ? 'forced' : 'canceled';
};

/** By place: what becomes of each task when the root is cancelled and nobody answers. */
export const expectedOutcomes = (tree: readonly PlannedTask[]): readonly ExpectedOutcome[] => {
  const outcomes: ExpectedOutcome[] = [];
  for (const task of tree) {
    const above = task.parent === undefined ? 'canceled' : outcomes[task.parent];
    outcomes.push(above === undefined || above === 'abandoned' ? undefined : outcomeOf(task));
  }
  return outcomes;
};

/** Id of the task at a place of the tree of this name; sorted, ids are in the order of places. */
export const taskIdAt = (tree: string, place: number): string => `${tree}-${String(place).padStart(6, '0')}`;
