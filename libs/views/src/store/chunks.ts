import {
  type Artifact,
  artifactOf,
  evolveDocumentAll,
  type EventMetadata,
  plain,
  type RecordedTaskEvent,
  type Task,
} from '#domain';
import { revisionAt } from './rows.js';

export interface StoredChunk {
  readonly place: number;
  readonly artifactId: string;
  readonly append: number;
  readonly artifact: Artifact;
}

const nobody: EventMetadata = {
  tenant: '',
  owner: '',
  principal: '',
  role: 'system',
  via: 'system',
  commandId: '',
  $causationId: '',
  $correlationId: '',
};

/** A chunk holds of its event what a document is folded from. */
const eventOf = ({ place, artifactId, append, artifact }: StoredChunk): RecordedTaskEvent => ({
  type: 'ArtifactRecorded',
  revision: revisionAt(place),
  id: '',
  bytes: 0,
  metadata: nobody,
  data: {
    at: '',
    artifactId,
    append: append === 1,
    lastChunk: false,
    content: plain({ artifact }),
  },
});

/** The artifacts of a task, joined by the domain's own fold, in the order in which they were first seen. */
export const joinChunks = (task: Task, chunks: readonly StoredChunk[]): readonly Artifact[] => {
  const inOrder = [...chunks].sort((one, other) => one.place - other.place);
  const { artifacts } = evolveDocumentAll(undefined, inOrder.map(eventOf));
  if (artifacts.length < 2) return artifacts;
  const firstSeen = ({ artifactId }: Artifact): number => artifactOf(task, artifactId)?.firstRevision ?? 0;
  return [...artifacts].sort((one, other) => firstSeen(one) - firstSeen(other));
};
