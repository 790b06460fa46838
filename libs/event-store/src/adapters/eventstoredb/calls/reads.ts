import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../errors.js';
import type { Position, ReadAllOptions, ReadStreamOptions, RecordedEvent } from '../../../port.js';
import type { CallingClient } from '../client/clients.js';
import type { DriverPosition, DriverRead } from '../driver/driver.js';
import type { KnownEvents } from '../known-events.js';
import { placeOf, recordedEvent } from '../recorded.js';
import type { DriverPlace } from '../subscription/connection.js';
import type { CallDesk } from './call-desk.js';
import {
  ReadFailedError,
  type Answered,
  type Ask,
  type AskOptions,
  type Events,
  type LeaderReads,
} from './leader-reads.js';
import { logEndsTooEarly, streamEndsTooEarly } from './stale-answer.js';

export interface ReadParts {
  readonly desk: CallDesk;
  readonly leader: LeaderReads;
  readonly known: KnownEvents;
  /** An answer came from an old log; the client that brought it should be left. */
  readonly onStaleAnswer: (client: CallingClient) => void;
  /** A stream, or the log under a prefix, ends before what is known of it, and that is believed now. */
  readonly onShorterLog: (what: { readonly stream: string } | { readonly prefix: string }) => void;
}

/** How to tell an answer from an old log. */
interface Freshness<Known> {
  /** What is known before the question is asked. */
  readonly known: () => Known | undefined;
  readonly isOld: (events: Events, known: Known) => boolean;
  /** The log has become shorter: what was known is true no more. */
  readonly believe: () => void;
}

/** The port's reads, with answers that hold whatever this process knew when it asked. */
export class Reads {
  constructor(private readonly parts: ReadParts) {}

  /** `end`: when it is given up, by the desk's clock. */
  stream(stream: string, options: ReadStreamOptions, end?: number): Promise<readonly RecordedEvent[]> {
    const { direction = 'forwards', limit } = options;
    const from = options.from === undefined ? endFor(direction) : BigInt(options.from);
    const freshness: Freshness<number> = {
      known: () => this.parts.known.newest(stream),
      isOld: (events, newest) => streamEndsTooEarly(events, options, newest),
      believe: () => {
        this.parts.known.forget(stream);
        this.parts.onShorterLog({ stream });
      },
    };
    return this.#current((driver) => driver.readStream(stream, { direction, limit, from }), freshness, {
      stream,
      end,
    });
  }

  /** A position at which no event begins was never given out by this log: nothing stands there. */
  async all(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    const { from, direction = 'forwards' } = options;
    const place = from === undefined ? endFor(direction) : startOf(from, direction);
    if (place === 'nothing') return [];
    try {
      return await this.#allFrom(place, options);
    } catch (error) {
      // Backwards from beyond the end a server fails instead of beginning at the end.
      if (!(error instanceof ReadFailedError) || typeof place === 'string' || direction === 'forwards')
        throw error;
      if (await this.#hasEventsAtOrAfter(place)) throw error;
      return this.#allFrom('end', options);
    }
  }

  /** The newest event under a prefix; undefined also when it was not found in the time for that. */
  async newest(prefix: string): Promise<RecordedEvent | undefined> {
    const { desk } = this.parts;
    const end = desk.now() + desk.timings.headScan;
    try {
      const [event] = await this.#allFrom('end', { direction: 'backwards', limit: 1, prefix }, end);
      return event;
    } catch (error) {
      // The server goes through all that others wrote behind it; a scan that was given up is cancelled there.
      if (error instanceof StoreUnavailableError && desk.now() >= end) return undefined;
      throw error;
    }
  }

  /** Of every stream, as the driver has it; forwards `from` is included. */
  async raw(options: DriverRead & { readonly from: DriverPlace }): Promise<Events> {
    return (await this.parts.leader.ask((driver) => driver.readAll(options))).events;
  }

  #allFrom(place: DriverPlace, options: ReadAllOptions, end?: number): Promise<readonly RecordedEvent[]> {
    const { direction = 'forwards', limit, prefix } = options;
    const freshness: Freshness<Position> = {
      known: () => this.parts.known.knownHead(prefix),
      isOld: (events, head) => logEndsTooEarly(events, options, head),
      believe: () => {
        this.parts.known.forgetHead(prefix);
        this.parts.onShorterLog({ prefix });
      },
    };
    return this.#current((driver) => driver.readAll({ direction, limit, from: place, prefix }), freshness, {
      end,
    });
  }

  async #hasEventsAtOrAfter({ commit }: DriverPosition): Promise<boolean> {
    const [newest] = await this.raw({ direction: 'backwards', from: 'end', limit: 1 });
    return newest !== undefined && newest.position.commit >= commit;
  }

  async #current<Known>(
    ask: Ask,
    freshness: Freshness<Known>,
    { end = this.parts.desk.endOfCall(), ...options }: AskOptions,
  ): Promise<readonly RecordedEvent[]> {
    const { desk } = this.parts;
    for (const pause of desk.timings.staleAnswers) {
      const answered = await this.#askOnce(ask, freshness, { ...options, end });
      const isOver = desk.now() + pause >= end;
      if (!answered.isOld || isOver) return this.#taken(answered, freshness);
      this.parts.onStaleAnswer(answered.client);
      await delay(pause);
    }
    return this.#taken(await this.#askOnce(ask, freshness, { ...options, end }), freshness);
  }

  async #askOnce<Known>(
    ask: Ask,
    { known, isOld }: Freshness<Known>,
    options: AskOptions,
  ): Promise<Answered & { readonly isOld: boolean }> {
    // What becomes known while the answer is under way need not be in it.
    const before = known();
    const answered = await this.parts.leader.ask(ask, options);
    return { ...answered, isOld: before !== undefined && isOld(answered.events, before) };
  }

  #taken<Known>(
    { events, isOld }: Answered & { readonly isOld: boolean },
    { believe }: Freshness<Known>,
  ): readonly RecordedEvent[] {
    if (isOld) believe();
    const recorded = events.map(recordedEvent);
    for (const event of recorded) this.parts.known.seen(event);
    return recorded;
  }
}

const endFor = (direction: DriverRead['direction']): 'start' | 'end' =>
  direction === 'forwards' ? 'start' : 'end';

const startOf = (from: Position, direction: DriverRead['direction']): DriverPlace | 'nothing' => {
  const place = placeOf(from);
  if (place === 'before-all') return direction === 'forwards' ? 'start' : 'nothing';
  if (place === 'beyond-all') return direction === 'forwards' ? 'nothing' : 'end';
  return place;
};
