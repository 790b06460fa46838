import { setTimeout as delay } from 'node:timers/promises';
import {
  appendBytesMax,
  appendEventsMax,
  OutcomeUnknownError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
} from '#event-store';
import { everyEvent } from './every-event.js';
import { BackupError } from './manifest.js';

/** How often an append is tried while the store is away, and how long it is waited for each time. Milliseconds. */
const attemptsMax = 60;
const attemptPauseMs = 1_000;

/**
 * How a log stands to a backup: the one may be a beginning of the other. `common`: events that both have, in the same
 * order, from the first on.
 */
export interface Comparison {
  readonly common: number;
  readonly backupGoesOn: boolean;
  readonly logGoesOn: boolean;
  /** The first event of the log that is another one than in the backup; then nothing else is said. */
  readonly differsAt?: string;
}

const isSame = (one: RecordedEvent, other: RecordedEvent): boolean =>
  one.id === other.id &&
  one.stream === other.stream &&
  one.revision === other.revision &&
  one.type === other.type &&
  one.data === other.data &&
  one.metadata === other.metadata;

/** Reads both from the beginning, side by side. */
export const compareLog = async (
  store: Pick<EventStore, 'readAll'>,
  prefix: string,
  backup: AsyncGenerator<RecordedEvent>,
): Promise<Comparison> => {
  const log = everyEvent(store, prefix);
  try {
    for (let common = 0; ; common += 1) {
      const [ours, theirs] = [await log.next(), await backup.next()];
      if (ours.done === true || theirs.done === true)
        return { common, backupGoesOn: theirs.done !== true, logGoesOn: ours.done !== true };
      if (!isSame(ours.value, theirs.value))
        return { common, backupGoesOn: true, logGoesOn: true, differsAt: ours.value.position };
    }
  } finally {
    await log.return(undefined);
    await backup.return(undefined);
  }
};

/** Events that stand next to each other in one stream: one append. */
interface Run {
  readonly stream: string;
  readonly first: number;
  readonly events: NewEvent[];
  bytes: number;
}

const bytesOf = ({ type, data, metadata }: NewEvent): number =>
  Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata);

const takesIn = (run: Run, event: RecordedEvent): boolean =>
  run.stream === event.stream &&
  run.events.length < appendEventsMax &&
  run.bytes + bytesOf(event) <= appendBytesMax;

async function* runsOf(events: AsyncIterable<RecordedEvent>): AsyncGenerator<Run> {
  let run: Run | undefined;
  for await (const event of events) {
    if (run === undefined || !takesIn(run, event)) {
      if (run !== undefined) yield run;
      run = { stream: event.stream, first: event.revision, events: [], bytes: 0 };
    }
    const { id, type, data, metadata } = event;
    run.events.push({ id, type, data, metadata });
    run.bytes += bytesOf(event);
  }
  if (run !== undefined) yield run;
}

/** Again and again under the same ids, which makes it one append however often it arrives. */
const appendRun = async (
  store: EventStore,
  { stream, first, events }: Run,
  pauseMs: number,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await store.append(stream, events, first === 0 ? 'none' : first - 1);
      return;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError)
        throw new BackupError(`somebody else writes to this log: ${error.message}`);
      const isAway = error instanceof StoreUnavailableError || error instanceof OutcomeUnknownError;
      if (!isAway || attempt === attemptsMax) throw error;
      await delay(pauseMs);
    }
  }
};

/**
 * Appends the events of a backup from number `from` on, in their order, one append after the other: what comes before
 * what in the log decides how a cancellation ends.
 */
export const replay = async (
  store: EventStore,
  backup: AsyncIterable<RecordedEvent>,
  from: number,
  pauseMs: number = attemptPauseMs,
): Promise<void> => {
  async function* rest(): AsyncGenerator<RecordedEvent> {
    let number = 0;
    for await (const event of backup) {
      if (number >= from) yield event;
      number += 1;
    }
  }
  for await (const run of runsOf(rest())) await appendRun(store, run, pauseMs);
};
