import { evolve, type Task } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { TaskChange } from '../application.js';
import { decodeRecorded } from '../codec/decode.js';
import type { StreamNames } from '../streams.js';

/** The typed event and the task as of it; nothing where the event cannot be read, for nothing is folded from there on. */
export const changeOf = (
  before: Task | undefined,
  recorded: RecordedEvent,
  names: StreamNames,
): TaskChange | undefined => {
  const decoded = decodeRecorded(recorded, names);
  if (decoded.kind !== 'task') return undefined;
  const task = evolve(before, decoded.event);
  return task.unreadable === undefined ? { event: decoded.event, task } : undefined;
};
