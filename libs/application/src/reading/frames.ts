import type { RecordedEvent } from '#event-store';
import type { EventFrame } from '../application.js';
import { parseJsonText } from '../codec/decode.js';
import type { Positions } from '../positions.js';
import type { StreamNames } from '../streams.js';

/** Data as stored; what is not JSON is shown as the text it is. */
const shown = (text: string): unknown => {
  const parsed = parseJsonText(text, 'data');
  return parsed.ok ? parsed.value : text;
};

const textOf = (data: unknown, field: string): string | undefined => {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, field)) return undefined;
  const value = (data as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : undefined;
};

/** Of a cancellation's stream: the task that the event, or else the cancellation, is about. */
const taskIdOf = (names: StreamNames, stream: string, data: unknown): string | undefined => {
  const subject = names.subjectOf(stream);
  if (subject.kind === 'task' || subject.kind === 'late') return subject.taskId;
  return textOf(data, 'taskId') ?? textOf(data, 'rootTaskId');
};

/** An event as the ledger API shows it. `at` is empty where the event does not say it readably. */
export const frameOf = (
  recorded: RecordedEvent,
  names: StreamNames,
  positions: Positions,
  metadata: unknown = shown(recorded.metadata),
): EventFrame => {
  const data = shown(recorded.data);
  const taskId = taskIdOf(names, recorded.stream, data);
  const occurredAt = textOf(data, 'occurredAt');
  return {
    position: positions.toEdge(recorded.position),
    stream: recorded.stream,
    ...(taskId !== undefined && { taskId }),
    revision: recorded.revision,
    id: recorded.id,
    type: recorded.type,
    at: textOf(data, 'at') ?? '',
    ...(occurredAt !== undefined && { occurredAt }),
    data,
    metadata,
  };
};
