import {
  AppendTooLargeError,
  InvalidStoreCallError,
  OutcomeUnknownError,
  StoreUnavailableError,
  StreamDeletedError,
  WrongExpectedRevisionError,
} from '../../../errors.js';
import type {
  AppendResult,
  ExpectedRevision,
  NewEvent,
  ReadStreamOptions,
  RecordedEvent,
  Revision,
} from '../../../port.js';
import type { CallingClient } from '../client/clients.js';
import type { DriverAppendResult, DriverExpected } from '../driver/driver.js';
import type { KnownEvents } from '../known-events.js';
import { appendsOnWireMax, appendsTakenMax, appendsTakenTextMax } from '../limits.js';
import { positionOf } from '../recorded.js';
import type { CallDesk, Try, TriedCall } from './call-desk.js';
import type { Verdict } from './classify.js';
import { PlacesOnWire } from './places-on-wire.js';

export interface AppendHooks {
  /** An append was given up without knowing whether it is there. */
  readonly onUnknownOutcome: () => void;
  /** Why the database did not take an append; undefined when it took one. */
  readonly onTrouble: (reason: string | undefined) => void;
  /** A refusal came from an old log; the client that brought it should be left. */
  readonly onStaleAnswer: (client: CallingClient) => void;
}

export interface AppendParts extends AppendHooks {
  readonly desk: CallDesk;
  readonly known: KnownEvents;
  /** From a leader that knows what this process knows. `end`: when it is given up, by the desk's clock. */
  readonly read: (
    stream: string,
    options: ReadStreamOptions,
    end: number,
  ) => Promise<readonly RecordedEvent[]>;
}

interface Append {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
}

/**
 * Appends at an exact revision with ids that stay the same: an answer that did not come is asked for again by the same
 * append, which the server answers as it did the first time. So an outcome is unknown only when the time is over.
 * With `any` nothing protects a repetition, and there is none.
 */
export class Appends {
  readonly #places = new PlacesOnWire(appendsOnWireMax);
  #taken = 0;
  #takenText = 0;
  #whenDone: (() => void) | undefined;

  constructor(private readonly parts: AppendParts) {}

  /** Appends taken and not answered yet. */
  get taken(): number {
    return this.#taken;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const text = textOf(stream, events);
    if (this.#taken >= appendsTakenMax || this.#takenText + text > appendsTakenTextMax)
      throw new StoreUnavailableError(`${String(this.#taken)} appends are waiting already`);
    this.#taken += 1;
    this.#takenText += text;
    const call = new AppendCall({ stream, events, expected }, this.#places, this.parts);
    try {
      return await call.run();
    } finally {
      this.#taken -= 1;
      this.#takenText -= text;
      if (this.#taken === 0) this.#whenDone?.();
    }
  }

  /** Resolves when everything that was taken is answered. */
  done(): Promise<void> {
    if (this.#taken === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenDone = resolve;
    });
  }
}

class AppendCall implements TriedCall<AppendResult> {
  readonly kind = 'append';
  /** A try whose answer did not come may have been written. */
  #mayBeWritten = false;
  #clockRefusals = 0;
  #staleRefusals = 0;
  /** Where the stream was known to stand when the last try was sent. */
  #known: Revision | undefined;
  readonly #end: number;
  readonly #earlier: Promise<DriverAppendResult>[] = [];

  constructor(
    private readonly given: Append,
    private readonly places: PlacesOnWire,
    private readonly parts: AppendParts,
  ) {
    this.#end = parts.desk.endOfCall();
  }

  async run(): Promise<AppendResult> {
    try {
      const result = await this.parts.desk.run(this, this.#end);
      this.parts.onTrouble(undefined);
      return result;
    } catch (error) {
      throw this.#finalError(error);
    }
  }

  async attempt(now: Try): Promise<AppendResult> {
    const began = this.parts.desk.now();
    const place = this.places.take(now.left);
    if (place !== true && !(await place))
      throw new StoreUnavailableError(
        `${String(appendsOnWireMax)} appends were on their way to the database`,
      );
    try {
      return this.#acknowledged(await this.#send(now, this.parts.desk.now() - began));
    } finally {
      this.places.release();
    }
  }

  judge(verdict: Verdict, { client }: Try): Promise<AppendResult> | undefined {
    const { stream, expected } = this.given;
    switch (verdict.kind) {
      case 'conflict':
        if (!this.#isFromOldLog(verdict.actual)) return this.#conflict(verdict.actual);
        this.parts.onStaleAnswer(client);
        return undefined;
      case 'too-large':
        throw new AppendTooLargeError(bytesOf(this.given.events), verdict.limit);
      case 'stream-deleted':
        throw new StreamDeletedError(stream);
      case 'refused':
        throw new InvalidStoreCallError(`the database refuses this append: ${verdict.reason}`);
      case 'access-denied':
        throw new StoreUnavailableError(`the database denies access: ${verdict.reason}`);
      case 'clock-behind':
        this.#clockRefusals += 1;
        if (this.#clockRefusals < clockRefusalsMax) return undefined;
        throw new StoreUnavailableError(
          "this machine's clock is behind the database's by more than the deadline",
        );
      case 'not-written':
        return undefined;
      case 'no-such-position':
      case 'read-failed':
      case 'unknown':
        this.#mayBeWritten = true;
        if (expected === 'any') throw new OutcomeUnknownError(verdict.reason);
        return undefined;
    }
  }

  /** `waited`: milliseconds until a place was free. */
  #send({ client, tried, left }: Try, waited: number): Promise<DriverAppendResult> {
    const { stream, events, expected } = this.given;
    this.#known = this.parts.known.newest(stream);
    // The client may have been left while this one waited for its place: it refuses by itself then.
    const answer = client.driver.append(stream, events, driverExpected(expected));
    const limit = left - waited;
    const isLast = tried > 0;
    const waiting = client.calls.wait(
      'append',
      answer,
      isLast ? limit : Math.min(limit, this.parts.desk.timings.appendAttempt),
    );
    const earlier = this.#earlier.map(successOf);
    this.#earlier.push(answer);
    // A server may drop a repetition whose original it is still replicating: then only the original is answered.
    return earlier.length === 0 ? waiting : Promise.race([waiting, ...earlier]);
  }

  #acknowledged({ revision, position }: DriverAppendResult): AppendResult {
    const result = {
      revision: Number(revision),
      position: positionOf(position, `the append to stream ${this.given.stream}`),
    };
    this.parts.known.seen({ stream: this.given.stream, ...result });
    return result;
  }

  /** A leader that was deposed refuses by its old log; what it says again and again is believed. */
  #isFromOldLog(actual: Revision | 'none'): boolean {
    if (this.#known === undefined || (actual !== 'none' && actual >= this.#known)) return false;
    this.#staleRefusals += 1;
    if (this.#staleRefusals <= this.parts.desk.timings.staleAnswers.length) return true;
    this.parts.known.forget(this.given.stream);
    return false;
  }

  async #conflict(actual: Revision | 'none'): Promise<AppendResult> {
    const { stream, events, expected } = this.given;
    if (actual !== 'none') this.parts.known.reached(stream, actual);
    const refused = new WrongExpectedRevisionError(stream, expected, actual);
    if (!this.#mayBeWritten || expected === 'any') throw refused;
    // After a change of leaders the server may have forgotten the ids that it wrote: the stream says who stands there.
    const first = expected === 'none' ? 0 : expected + 1;
    const there = await this.parts.read(stream, { from: first, limit: events.length }, this.#end);
    const last = there.at(-1);
    const isOurs = there.length === events.length && events.every(({ id }, index) => there[index]?.id === id);
    if (!isOurs || last === undefined) throw refused;
    return { revision: last.revision, position: last.position };
  }

  #finalError(error: unknown): unknown {
    if (!(error instanceof StoreUnavailableError || error instanceof OutcomeUnknownError)) return error;
    this.parts.onTrouble(error.message);
    if (!this.#mayBeWritten) return error;
    this.parts.onUnknownOutcome();
    return new OutcomeUnknownError(error.message, { cause: error });
  }
}

/** A deadline that had passed at once is believed to be a matter of clocks when it is told this often. */
const clockRefusalsMax = 2;

/** Its failure is known already. */
const successOf = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  answer.catch(() => new Promise<never>(() => undefined));

const driverExpected = (expected: ExpectedRevision): DriverExpected =>
  typeof expected === 'number' ? BigInt(expected) : expected;

/** UTF-16 units of the texts: near enough to bytes for a bound, and free. */
const textOf = (stream: string, events: readonly NewEvent[]): number => {
  let units = stream.length;
  for (const { type, data, metadata } of events) units += type.length + data.length + metadata.length;
  return units;
};

const bytesOf = (events: readonly NewEvent[]): number =>
  events.reduce(
    (sum, { type, data, metadata }) =>
      sum + Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
