import type { RecordedEvent } from '#event-store';
import { readLines, writeLines } from './lines.js';
import { BackupError } from './manifest.js';

/** What a file of events holds. */
export interface EventSummary {
  readonly count: number;
  /** Position of the newest; absent when there is none. */
  readonly last?: string;
}

const texts = ['stream', 'position', 'id', 'type', 'data', 'metadata', 'created'] as const;

const recorded = (value: unknown): RecordedEvent | undefined => {
  const event = value as RecordedEvent;
  const isEvent =
    texts.every((field) => typeof event[field] === 'string') && Number.isInteger(event.revision);
  return isEvent ? event : undefined;
};

export const writeEventLines = writeLines as (
  path: string,
  events: AsyncIterable<RecordedEvent>,
) => Promise<void>;

/** In log order, as they were recorded. @throws BackupError */
export const readEventLines = (path: string): AsyncGenerator<RecordedEvent> => readLines(path, recorded);

/** Reads all of it: every line is an event, in log order, and no stream has a gap. @throws BackupError */
export const checkEventLines = async (path: string): Promise<EventSummary> => {
  const revisions = new Map<string, number>();
  let count = 0;
  let last = '';
  for await (const { stream, revision, position } of readEventLines(path)) {
    const expected = (revisions.get(stream) ?? -1) + 1;
    if (revision !== expected)
      throw new BackupError(
        `${path}: revision ${String(revision)} of ${stream} comes where ${String(expected)} was expected`,
      );
    if (position <= last) throw new BackupError(`${path}: the event at ${position} is not in log order`);
    revisions.set(stream, revision);
    last = position;
    count += 1;
  }
  return { count, ...(count === 0 ? {} : { last }) };
};
