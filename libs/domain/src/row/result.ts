import type { Artifact } from '../content.js';
import type { Json } from '../json.js';
import { resultArtifactId } from '../task/artifacts.js';

/** The result that an artifact `<taskId>.result` shows: a text for a string, data otherwise. */
export const resultOf = (artifact: Artifact | undefined): Json | undefined => {
  const part = artifact?.parts[0];
  if (part === undefined) return undefined;
  return part.text ?? part.data;
};

/** The result among a task's artifacts. */
export const resultAmong = (taskId: string, artifacts: readonly Artifact[]): Json | undefined =>
  resultOf(artifacts.find(({ artifactId }) => artifactId === resultArtifactId(taskId)));
