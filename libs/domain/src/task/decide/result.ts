import { plain, type Artifact } from '../../content.js';
import type { Json } from '../../json.js';
import { resultArtifactId } from '../artifacts.js';
import type { TaskEventOf } from '../events.js';
import type { Task } from '../state.js';

/** A text for a string, data otherwise. */
const resultArtifact = (result: Json, taskId: string): Artifact => ({
  artifactId: resultArtifactId(taskId),
  parts: [typeof result === 'string' ? { text: result } : { data: result }],
});

/** The result stands before the end that it belongs to, as clients stop reading at the end. */
export const completedWith = (
  result: Json | undefined,
  completed: TaskEventOf<'TaskCompleted'>,
  { taskId }: Task,
): readonly [...TaskEventOf<'ArtifactRecorded'>[], TaskEventOf<'TaskCompleted'>] => {
  if (result === undefined) return [completed];
  const { at, occurredAt } = completed.data;
  const artifact = resultArtifact(result, taskId);
  const data = {
    at,
    ...(occurredAt !== undefined && { occurredAt }),
    artifactId: artifact.artifactId,
    append: false,
    lastChunk: true,
    content: plain({ artifact }),
  };
  return [{ type: 'ArtifactRecorded', data }, completed];
};
