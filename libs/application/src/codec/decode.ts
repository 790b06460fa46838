import {
  readCancellationEvent,
  readLateEvent,
  readLogEvent,
  readMetadata,
  readTaskEvent,
  type CancellationEvent,
  type EventMetadata,
  type LateEvent,
  type LogEvent,
  type Recorded,
  type RecordedTaskEvent,
  type TaskEvent,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import { streamNames, type StreamNames, type StreamSubject } from '../streams.js';

/** An event that this version cannot read: set aside, counted, never folded. `error` says why. */
export interface UnreadableEvent {
  readonly kind: 'unreadable';
  readonly subject: StreamSubject;
  readonly revision: number;
  readonly type: string;
  readonly error: string;
  /** Where it can be read: it scopes the event even so. */
  readonly metadata?: EventMetadata;
}

export type DecodedEvent =
  | { readonly kind: 'task'; readonly taskId: string; readonly event: RecordedTaskEvent }
  | { readonly kind: 'late'; readonly taskId: string; readonly event: Recorded<LateEvent> }
  | {
      readonly kind: 'cancellation';
      readonly cancellationId: string;
      readonly event: Recorded<CancellationEvent>;
    }
  | { readonly kind: 'log'; readonly event: Recorded<LogEvent> }
  | UnreadableEvent;

type Reading<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

/** JSON text of an event; broken text is an answer, not an error. */
export const parseJsonText = (text: string, what: string): Reading<unknown> => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return {
      ok: false,
      error: `${what} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
};

interface MetadataText {
  readonly text: string;
  readonly bytes: number;
  readonly reading: Reading<EventMetadata>;
}

const readMetadataText = (text: string): MetadataText => {
  const parsed = parseJsonText(text, 'metadata');
  const bytes = Buffer.byteLength(text);
  if (!parsed.ok) return { text, bytes, reading: parsed };
  const read = readMetadata(parsed.value);
  return { text, bytes, reading: read.ok ? { ok: true, value: read.metadata } : read };
};

let lastMetadata: MetadataText = readMetadataText('');

/** The events of one append share their metadata word for word: the text read last is not read again. */
const metadataOf = (text: string): MetadataText => {
  if (text !== lastMetadata.text) lastMetadata = readMetadataText(text);
  return lastMetadata;
};

const unreadable = (
  recorded: RecordedEvent,
  subject: StreamSubject,
  error: string,
  metadata?: EventMetadata,
): UnreadableEvent => ({
  kind: 'unreadable',
  subject,
  revision: recorded.revision,
  type: recorded.type,
  error,
  ...(metadata && { metadata }),
});

/** Member by member: a spread costs a tenth of a whole rebuild here. */
const withPlace = <Event extends { readonly type: string; readonly data: object }>(
  event: Event,
  recorded: RecordedEvent,
  metadata: EventMetadata,
): Recorded<Event> => {
  const { type, data } = event;
  const bytes = Buffer.byteLength(recorded.data) + metadataOf(recorded.metadata).bytes;
  const placed: Recorded<Pick<Event, 'type' | 'data'>> = {
    type,
    data,
    revision: recorded.revision,
    id: recorded.id,
    metadata,
    bytes,
  };
  return placed as Recorded<Event>;
};

/** A task begins once, and under its own id: everything that is folded goes by the id in its first event. */
const misplaced = ({ type, data }: TaskEvent, revision: number, taskId: string): string | undefined => {
  if ((type === 'TaskSubmitted') !== (revision === 0))
    return 'TaskSubmitted must be the first event, and no other may be';
  return type === 'TaskSubmitted' && data.taskId !== taskId ? 'taskId must be that of the stream' : undefined;
};

const readBySubject = (
  recorded: RecordedEvent,
  subject: StreamSubject,
  data: unknown,
  metadata: EventMetadata,
): DecodedEvent => {
  switch (subject.kind) {
    case 'task': {
      const read = readTaskEvent(recorded.type, data);
      if (!read.ok) return unreadable(recorded, subject, read.error, metadata);
      const error = misplaced(read.event, recorded.revision, subject.taskId);
      if (error !== undefined) return unreadable(recorded, subject, error, metadata);
      return { kind: 'task', taskId: subject.taskId, event: withPlace(read.event, recorded, metadata) };
    }
    case 'late': {
      const read = readLateEvent(recorded.type, data);
      if (!read.ok) return unreadable(recorded, subject, read.error, metadata);
      return { kind: 'late', taskId: subject.taskId, event: withPlace(read.event, recorded, metadata) };
    }
    case 'cancellation': {
      const read = readCancellationEvent(recorded.type, data);
      if (!read.ok) return unreadable(recorded, subject, read.error, metadata);
      const { cancellationId } = subject;
      return { kind: 'cancellation', cancellationId, event: withPlace(read.event, recorded, metadata) };
    }
    case 'log': {
      const read = readLogEvent(recorded.type, data);
      if (!read.ok) return unreadable(recorded, subject, read.error, metadata);
      return { kind: 'log', event: withPlace(read.event, recorded, metadata) };
    }
    case 'other':
      return unreadable(
        recorded,
        subject,
        `stream ${recorded.stream} is of a kind unknown to this version`,
        metadata,
      );
  }
};

/**
 * The typed event behind a stored one, lifted to the newest shape; or why it cannot be read: broken JSON, an unknown
 * type, a field of another shape, a version of the future.
 */
export const decodeRecorded = (recorded: RecordedEvent, names: StreamNames): DecodedEvent => {
  const subject = names.subjectOf(recorded.stream);
  const { reading: metadata } = metadataOf(recorded.metadata);
  if (!metadata.ok) return unreadable(recorded, subject, metadata.error);
  const data = parseJsonText(recorded.data, 'data');
  if (!data.ok) return unreadable(recorded, subject, data.error, metadata.value);
  return readBySubject(recorded, subject, data.value, metadata.value);
};

const namesByNamespace = new Map<string, StreamNames>();

/** {@link decodeRecorded} for whoever holds the namespace only. */
export const decodeEvent = (recorded: RecordedEvent, namespace: string): DecodedEvent => {
  let names = namesByNamespace.get(namespace);
  if (names === undefined) {
    names = streamNames(namespace);
    namesByNamespace.set(namespace, names);
  }
  return decodeRecorded(recorded, names);
};
