import type { EventMetadata } from '#domain';
import { OutcomeUnknownError, WrongExpectedRevisionError, type RecordedEvent } from '#event-store';
import { encodeAppend, type TypedEvent } from '../codec/encode.js';
import type { Ids } from '../ports/clock.js';
import { jitter, type Appender } from '../store/appender.js';
import { unavailable } from '../store/failures.js';
import type { StreamQueues } from '../store/stream-queues.js';
import type { StreamReader } from '../store/stream-reader.js';
import { decisionsMax } from './task-writer.js';

/** How a late or a cancellation stream is folded; what cannot be read is passed over. */
export type FoldSide<Log> = (log: Log | undefined, recorded: RecordedEvent) => Log | undefined;

/** One append to a side stream: its only event, the event's derived id, and what stands beside it. */
export interface SideWrite<Log> {
  readonly stream: string;
  readonly fold: FoldSide<Log>;
  /** At most one event: an id is derived for one meaning. */
  readonly decide: (log: Log | undefined) => readonly TypedEvent[];
  readonly eventId: string;
  readonly metadata: EventMetadata;
}

export interface SideParts {
  readonly reader: StreamReader;
  readonly appender: Appender;
  readonly queues: StreamQueues;
  readonly ids: Ids;
}

/**
 * Writes late and cancellation streams like tasks: own queue, own fold, exact revision. The derived id makes a retry
 * safe at the same revision; at a later one it is the fold that knows the id.
 */
export class SideStreams {
  constructor(private readonly parts: SideParts) {}

  async load<Log>(
    stream: string,
    fold: FoldSide<Log>,
  ): Promise<{ log: Log | undefined; revision: number | 'none' }> {
    let log: Log | undefined;
    let revision: number | 'none' = 'none';
    for await (const page of this.parts.reader.pages(stream, 0)) {
      for (const recorded of page) {
        log = fold(log, recorded);
        revision = recorded.revision;
      }
    }
    return { log, revision };
  }

  /** Position of the event, or undefined when there was nothing to append. */
  write<Log>(write: SideWrite<Log>): Promise<string | undefined> {
    return this.parts.queues.run(write.stream, async () => {
      for (let attempt = 0; attempt <= decisionsMax; attempt += 1) {
        const { log, revision } = await this.load(write.stream, write.fold);
        const events = write.decide(log);
        if (events.length === 0) return undefined;
        const position = await this.#append(write, events, revision);
        if (position !== 'conflict') return position;
        await jitter(this.parts.ids, attempt);
      }
      throw unavailable(`too many write to ${write.stream} at once`);
    });
  }

  async #append<Log>(
    { stream, metadata, eventId }: SideWrite<Log>,
    events: readonly TypedEvent[],
    revision: number | 'none',
  ): Promise<string> {
    try {
      const { events: encoded } = encodeAppend(events, metadata, () => eventId);
      return (await this.parts.appender.append(stream, encoded, revision)).position;
    } catch (error) {
      // Read again: what was written without an answer is found by its id.
      if (error instanceof WrongExpectedRevisionError || error instanceof OutcomeUnknownError)
        return 'conflict';
      throw error;
    }
  }
}
