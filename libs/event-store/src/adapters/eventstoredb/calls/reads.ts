import { setTimeout as delay } from 'node:timers/promises';
import { InvalidStoreCallError, StoreUnavailableError, StreamDeletedError } from '../../../errors.js';
import type { Position, ReadAllOptions, ReadStreamOptions, RecordedEvent } from '../../../port.js';
import type { CallingClient } from '../client/clients.js';
import type { Driver, DriverCall, DriverEvent, DriverRead } from '../driver/driver.js';
import type { KnownEvents } from '../known-events.js';
import { readsOnWireMax, readsTakenMax } from '../limits.js';
import { placeOf, recordedEvent } from '../recorded.js';
import type { DriverPlace } from '../subscription/connection.js';
import type { CallDesk, Try } from './call-desk.js';
import type { Verdict } from './classify.js';
import { PlacesOnWire } from './places-on-wire.js';
import { endsTooEarly } from './stale-answer.js';

export interface ReadParts {
  readonly desk: CallDesk;
  readonly known: KnownEvents;
  /** An answer came from an old log; the client that brought it should be left. */
  readonly onStaleAnswer: (client: CallingClient) => void;
  /** The stream ends before what is known of it, and that is believed now. */
  readonly onShorterStream: (stream: string) => void;
}

type Events = readonly DriverEvent[];
type Ask = (driver: Driver) => DriverCall<Events>;

interface Answered {
  readonly events: Events;
  readonly client: CallingClient;
}

/** Reads from a leader: bounded in time, cancelled when they are given up, asked again when that may help. */
export class Reads {
  readonly #places = new PlacesOnWire(readsOnWireMax);
  #taken = 0;

  constructor(private readonly parts: ReadParts) {}

  async stream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const { direction = 'forwards', limit } = options;
    const from = options.from === undefined ? endFor(direction) : BigInt(options.from);
    const ask: Ask = (driver) => driver.readStream(stream, { direction, limit, from });
    const { desk, known } = this.parts;
    const end = desk.now() + desk.timings.call;
    for (const pause of [...desk.timings.staleAnswers, undefined]) {
      // What becomes known while the answer is under way need not be in it.
      const newest = known.newest(stream);
      const { events, client } = await this.#ask(ask, stream, end);
      if (newest === undefined || !endsTooEarly(events, options, newest)) return this.#seen(events);
      const isLastTry = pause === undefined || desk.now() + pause >= end;
      if (isLastTry) return this.#believed(stream, events);
      this.parts.onStaleAnswer(client);
      await delay(pause);
    }
    return [];
  }

  /** A position at which no event begins was never given out by this log: nothing stands there. */
  async all({
    from,
    direction = 'forwards',
    limit,
    prefix,
  }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    const place = from === undefined ? endFor(direction) : startOf(from, direction);
    if (place === 'nothing') return [];
    const ask: Ask = (driver) => driver.readAll({ direction, limit, from: place, prefix });
    return this.#seen((await this.#ask(ask)).events);
  }

  /** The newest event under a prefix; undefined also when it was not found in the time for that. */
  async newest(prefix: string): Promise<RecordedEvent | undefined> {
    const { timings } = this.parts.desk;
    const looking = this.all({ direction: 'backwards', limit: 1, prefix });
    const [event] = await Promise.race([looking, delay(timings.headScan, [], { ref: false })]);
    return event;
  }

  /** Asks whether the server answers. Which answer it is does not matter: the desk heeds it. */
  async probe(client: CallingClient): Promise<void> {
    const { desk } = this.parts;
    const began = desk.now();
    const call = client.driver.readAll({ direction: 'backwards', from: 'end', limit: 1 });
    try {
      await client.calls.wait('read', call.answer, desk.timings.probeCall);
    } catch (error) {
      desk.heed(error, client, { kind: 'read', elapsed: desk.now() - began });
    } finally {
      call.cancel();
    }
  }

  /** Of every stream, as the driver has it; forwards `from` is included. */
  async raw(options: DriverRead & { readonly from: DriverPlace }): Promise<Events> {
    return (await this.#ask((driver) => driver.readAll(options))).events;
  }

  async #ask(ask: Ask, stream?: string, end?: number): Promise<Answered> {
    if (this.#taken >= readsTakenMax)
      throw new StoreUnavailableError(`${String(this.#taken)} reads are waiting already`);
    this.#taken += 1;
    try {
      return await this.parts.desk.run(
        {
          kind: 'read',
          attempt: (now) => this.#attempt(ask, now),
          judge: (verdict, now) => judge(verdict, now, stream),
        },
        end,
      );
    } finally {
      this.#taken -= 1;
    }
  }

  async #attempt(ask: Ask, now: Try): Promise<Answered> {
    const place = this.#places.take(now.left);
    if (place !== true && !(await place))
      throw new StoreUnavailableError(`${String(readsOnWireMax)} reads were under way`);
    try {
      return await this.#read(ask, now);
    } finally {
      this.#places.release();
    }
  }

  async #read(ask: Ask, { client, left }: Try): Promise<Answered> {
    const call = ask(client.driver);
    try {
      const limit = Math.min(left, this.parts.desk.timings.readAttempt);
      return { events: await client.calls.wait('read', call.answer, limit), client };
    } finally {
      call.cancel();
    }
  }

  #seen(events: Events): readonly RecordedEvent[] {
    const recorded = events.map(recordedEvent);
    for (const event of recorded) this.parts.known.seen(event);
    return recorded;
  }

  #believed(stream: string, events: Events): readonly RecordedEvent[] {
    this.parts.known.forget(stream);
    this.parts.onShorterStream(stream);
    return this.#seen(events);
  }
}

/** Tries of a read that the server fails to answer. */
const failedTriesMax = 3;

const judge = (verdict: Verdict, { client, tried }: Try, stream = ''): Promise<Answered> | undefined => {
  switch (verdict.kind) {
    case 'stream-deleted':
      throw new StreamDeletedError(stream);
    case 'access-denied':
      throw new StoreUnavailableError(`the database denies access: ${verdict.reason}`);
    case 'no-such-position':
      return Promise.resolve({ events: [], client });
    case 'refused':
      throw new InvalidStoreCallError(`the database refuses this read: ${verdict.reason}`);
    case 'read-failed':
      if (tried + 1 < failedTriesMax) return undefined;
      throw new StoreUnavailableError(`the database cannot answer this read: ${verdict.reason}`);
    default:
      return undefined;
  }
};

const endFor = (direction: DriverRead['direction']): 'start' | 'end' =>
  direction === 'forwards' ? 'start' : 'end';

const startOf = (from: Position, direction: DriverRead['direction']): DriverPlace | 'nothing' => {
  const place = placeOf(from);
  if (place === 'before-all') return direction === 'forwards' ? 'start' : 'nothing';
  if (place === 'beyond-all') return direction === 'forwards' ? 'nothing' : 'end';
  return place;
};
