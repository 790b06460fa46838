import { factOn, putOn, type Shelves } from './shelves.js';
import type { ArtifactFact, Task } from './state.js';

/** What is known of an artifact. */
export const artifactOf = (
  { artifacts }: Pick<Task, 'artifacts'>,
  artifactId: string,
): ArtifactFact | undefined => factOn(artifacts, artifactId);

/** The artifacts after one more event; the same ones when nothing that decisions need has changed. */
export const shelve = (
  artifacts: Shelves<ArtifactFact>,
  artifactId: string,
  { revision, lastChunk }: { revision: number; lastChunk: boolean },
): Shelves<ArtifactFact> => {
  const known = factOn(artifacts, artifactId);
  const sealed = lastChunk || (known?.sealed ?? false);
  if (known?.sealed === sealed) return artifacts;
  return putOn(artifacts, artifactId, { sealed, firstRevision: known?.firstRevision ?? revision });
};

/** The artifact that shows a completed task's result. */
export const resultArtifactId = (taskId: string): string => `${taskId}.result`;
