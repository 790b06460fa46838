import type { Artifact, Message } from '../content.js';
import { headOf, nextHead, type ArtifactHead } from './artifact-fold.js';
import type { MessageEntry, TaskDocument } from './document.js';
import type { RecordedTaskEvent, TaskEvent } from './events.js';
import type { JsonObject } from '../json.js';

export const emptyDocument: TaskDocument = { messages: [], artifacts: [] };

type Part = JsonObject;

/** An artifact that this fold has changed: its parts are an array of its own, which grows in place. */
interface Grown {
  head: ArtifactHead;
  readonly parts: Part[];
}

/**
 * A document while a run of events is folded into it. What a run changes is copied once, at the first change, so
 * that a hundred thousand chunks do not copy what was there a hundred thousand times.
 */
interface Draft {
  metadata: JsonObject | undefined;
  reason: string | undefined;
  readonly messages: MessageEntry[];
  readonly artifacts: Artifact[];
  /** By the place of the artifact. */
  readonly grown: Map<number, Grown>;
  /** Place of an artifact by its id, once one is asked for; a Map, for clients choose the ids (C45). */
  places: Map<string, number> | undefined;
}

const draftOf = (document: TaskDocument): Draft => ({
  metadata: document.metadata,
  reason: document.reason,
  messages: [...document.messages],
  artifacts: [...document.artifacts],
  grown: new Map(),
  places: undefined,
});

const artifactsOf = ({ artifacts, grown }: Draft): readonly Artifact[] => {
  for (const [place, { head, parts }] of grown) artifacts[place] = { ...head, parts };
  return artifacts;
};

const documentOf = (draft: Draft): TaskDocument => ({
  ...(draft.metadata !== undefined && { metadata: draft.metadata }),
  messages: draft.messages,
  artifacts: artifactsOf(draft),
  ...(draft.reason !== undefined && { reason: draft.reason }),
});

const addMessage = (draft: Draft, revision: number, message: Message | undefined): void => {
  if (message !== undefined) draft.messages.push({ revision, message });
};

const placesOf = (draft: Draft): Map<string, number> => {
  draft.places ??= new Map(draft.artifacts.map(({ artifactId }, index) => [artifactId, index]));
  return draft.places;
};

const grow = (draft: Draft, place: number, known: Artifact, chunk: Artifact): void => {
  const grown = draft.grown.get(place) ?? { head: headOf(known), parts: [...known.parts] };
  grown.head = nextHead(grown.head, chunk, true);
  for (const part of chunk.parts) grown.parts.push(part);
  draft.grown.set(place, grown);
};

/** First seen, first shown: a replaced artifact keeps its place. */
const addChunk = (draft: Draft, chunk: Artifact, append: boolean): void => {
  const places = placesOf(draft);
  const place = places.get(chunk.artifactId) ?? draft.artifacts.length;
  const known = draft.artifacts[place];
  if (known !== undefined && append) {
    grow(draft, place, known, chunk);
    return;
  }
  places.set(chunk.artifactId, place);
  draft.artifacts[place] = chunk;
  draft.grown.delete(place);
};

const apply = (draft: Draft, revision: number, event: TaskEvent): void => {
  switch (event.type) {
    case 'TaskSubmitted':
      draft.metadata = event.data.content.body.metadata;
      return addMessage(draft, revision, event.data.content.body.message);
    case 'ArtifactRecorded':
      return addChunk(draft, event.data.content.body.artifact, event.data.append);
    case 'CancellationRequested':
    case 'TaskCanceled':
      draft.reason = event.data.content.body.reason ?? draft.reason;
      return addMessage(draft, revision, event.data.content.body.message);
    case 'CancellationDeclined':
      draft.reason = undefined;
      return;
    case 'TaskCompleted':
    case 'TaskFailed':
    case 'TaskRejected':
    case 'TaskStopped':
      draft.reason = event.data.content.body.reason;
      return addMessage(draft, revision, event.data.content.body.message);
    case 'TaskStarted':
    case 'TaskProgressed':
    case 'TaskResumed':
    case 'TaskInputRequested':
    case 'TaskAuthRequested':
    case 'MessageRecorded':
      return addMessage(draft, revision, event.data.content.body.message);
    case 'ParentAssigned':
    case 'ChildLinked':
      return;
  }
};

/** Folds a run of events into a document, which is not changed; in time that grows with the run alone. */
export const evolveDocumentAll = (
  document: TaskDocument | undefined,
  events: readonly RecordedTaskEvent[],
): TaskDocument => {
  const draft = draftOf(document ?? emptyDocument);
  for (const event of events) apply(draft, event.revision, event);
  return documentOf(draft);
};

/** One event. A run of events is folded by {@link evolveDocumentAll}, which copies once. */
export const evolveDocument = (document: TaskDocument | undefined, event: RecordedTaskEvent): TaskDocument =>
  evolveDocumentAll(document, [event]);
