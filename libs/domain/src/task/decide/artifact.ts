import { plain } from '../../content.js';
import { DomainError } from '../../errors.js';
import { later, toInstant } from '../../time.js';
import { artifactOf } from '../artifacts.js';
import { assertRoom } from '../caps.js';
import type { RecordArtifact } from '../commands.js';
import type { TaskEvent } from '../events.js';
import { isTerminal, type Task } from '../state.js';
import { assertArtifact } from './content.js';
import { taskIsTerminal } from './refusals.js';

/** No chunk is lost in silence: one that has no place is refused (C11). */
const assertTakes = (task: Task, artifactId: string, append: boolean): void => {
  const known = artifactOf(task, artifactId);
  if (known?.sealed === true) {
    throw new DomainError('artifact-sealed', `artifact ${artifactId} got its last chunk`, { artifactId });
  }
  if (append && known === undefined) {
    throw new DomainError('artifact-not-open', `artifact ${artifactId} was never opened`, { artifactId });
  }
};

export const recordArtifact = (command: RecordArtifact, task: Task): readonly TaskEvent[] => {
  const { artifact, append = false, lastChunk = false } = command;
  assertArtifact(artifact, task.taskId);
  const occurredAt =
    command.occurredAt === undefined ? {} : { occurredAt: toInstant(command.occurredAt, 'occurredAt') };
  if (isTerminal(task.state)) throw taskIsTerminal(task);
  assertTakes(task, artifact.artifactId, append);
  assertRoom(task);
  const at = later(command.at, task.updatedAt);
  const { artifactId } = artifact;
  return [
    {
      type: 'ArtifactRecorded',
      data: { at, ...occurredAt, artifactId, append, lastChunk, content: plain({ artifact }) },
    },
  ];
};
