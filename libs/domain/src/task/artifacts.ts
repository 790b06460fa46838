import type { ArtifactFact, ArtifactShelf, Task } from './state.js';

/**
 * Artifacts of the newest shelf. A change copies that shelf and no other; full shelves of like size become one. So a
 * task with a hundred thousand artifacts is folded without copying them all for each, and an artifact is found in
 * a dozen steps, whatever ids a client chooses.
 */
export const shelfSizeMin = 32;

type Shelves = readonly ArtifactShelf[];

/** What is known of an artifact. Newer shelves win; own members alone count, for a client chose the id (C45). */
export const artifactOf = (
  { artifacts }: Pick<Task, 'artifacts'>,
  artifactId: string,
): ArtifactFact | undefined => {
  for (let index = artifacts.length - 1; index >= 0; index -= 1) {
    const facts = artifacts[index]?.facts;
    if (facts !== undefined && Object.hasOwn(facts, artifactId)) return facts[artifactId];
  }
  return undefined;
};

const shelfOf = (facts: ArtifactShelf['facts']): ArtifactShelf => ({
  count: Object.keys(facts).length,
  facts,
});

/** Each shelf is larger than the next one, so that there are few of them. */
const merged = (shelves: Shelves): Shelves => {
  const [older, newer] = shelves.slice(-2);
  if (older === undefined || newer === undefined || older.count > newer.count) return shelves;
  return merged([...shelves.slice(0, -2), shelfOf({ ...older.facts, ...newer.facts })]);
};

const put = (shelves: Shelves, artifactId: string, fact: ArtifactFact): Shelves => {
  const newest = shelves.at(-1);
  const isOpen = newest !== undefined && newest.count < shelfSizeMin;
  const before = isOpen ? shelves.slice(0, -1) : merged(shelves);
  // A computed key makes an own member of any id, `__proto__` too.
  return [...before, shelfOf({ ...(isOpen && newest.facts), [artifactId]: fact })];
};

/** The artifacts after one more event; the same ones when nothing that decisions need has changed. */
export const shelve = (
  artifacts: Shelves,
  artifactId: string,
  { revision, lastChunk }: { revision: number; lastChunk: boolean },
): Shelves => {
  const known = artifactOf({ artifacts }, artifactId);
  const sealed = lastChunk || (known?.sealed ?? false);
  if (known?.sealed === sealed) return artifacts;
  return put(artifacts, artifactId, { sealed, firstRevision: known?.firstRevision ?? revision });
};

/** The artifact that shows a completed task's result. */
export const resultArtifactId = (taskId: string): string => `${taskId}.result`;
