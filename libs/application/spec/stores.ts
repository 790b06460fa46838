import {
  OutcomeUnknownError,
  StoreUnavailableError,
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '#event-store';
import { StoreInFront } from '#testing';

/** Somebody else writes to this stream just before our first append to it. */
export class WrittenBefore extends StoreInFront {
  before: (() => Promise<void>) | undefined;

  constructor(
    behind: EventStore,
    private readonly stream: string,
  ) {
    super(behind);
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const before = stream === this.stream ? this.before : undefined;
    if (before !== undefined) {
      this.before = undefined;
      await before();
    }
    return super.append(stream, events, expected);
  }
}

/** Refuses the first append to a stream, as a process that dies before it would have left it. */
export class RefusesOnce extends StoreInFront {
  #refused = false;

  constructor(
    behind: EventStore,
    private readonly stream: string,
  ) {
    super(behind);
  }

  override append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    if (stream !== this.stream || this.#refused) return super.append(stream, events, expected);
    this.#refused = true;
    return Promise.reject(new StoreUnavailableError('refused once'));
  }
}

/** Commits appends and loses every answer, as often as it is told to; repetitions too. */
export class LosesAnswers extends StoreInFront {
  losses = 0;

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const result = await super.append(stream, events, expected);
    if (this.losses === 0) return result;
    this.losses -= 1;
    throw new OutcomeUnknownError(`no answer to an append to ${stream}`);
  }
}

/** Before every append of ours, somebody else writes; what he writes is not overtaken. */
export class Overtaken extends StoreInFront {
  constructor(
    behind: EventStore,
    private readonly overtake: () => Promise<void>,
  ) {
    super(behind);
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    await this.overtake();
    return super.append(stream, events, expected);
  }
}

/** Takes no append to any cancellation's stream. */
export class RefusesCancellations extends StoreInFront {
  override append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return stream.includes('.cancellation-')
      ? Promise.reject(new StoreUnavailableError('refused'))
      : super.append(stream, events, expected);
  }
}

/** Commits one append without an answer, and turns its first repetition away. */
export class GoesAway extends StoreInFront {
  #left = 0;

  goAway(): void {
    this.#left = 2;
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const left = this.#left;
    if (left > 0) this.#left -= 1;
    if (left === 1) throw new StoreUnavailableError('away for a moment');
    const result = await super.append(stream, events, expected);
    if (left === 2) throw new OutcomeUnknownError(`no answer to an append to ${stream}`);
    return result;
  }
}

/** Its subscriptions end once they are told to, with an error: against their promise. */
export class BreaksSubscriptions extends StoreInFront {
  #break: (() => void) | undefined;

  breakOff(): void {
    this.#break?.();
  }

  override async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    const broken = new AbortController();
    this.#break = () => {
      broken.abort();
    };
    const ends = [broken.signal, ...(options.signal ? [options.signal] : [])];
    yield* super.subscribe({ ...options, signal: AbortSignal.any(ends) });
    if (broken.signal.aborted) throw new StoreUnavailableError('the subscription broke off');
  }
}

/** Commits an append to one stream and keeps its answer back until it is told to give it. */
export class AnswersLate extends StoreInFront {
  #answer: () => void = () => undefined;
  #reach: () => void = () => undefined;
  readonly committed = new Promise<void>((resolve) => (this.#reach = resolve));
  readonly #told = new Promise<void>((resolve) => (this.#answer = resolve));

  constructor(
    behind: EventStore,
    private readonly stream: string,
  ) {
    super(behind);
  }

  answer(): void {
    this.#answer();
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const result = await super.append(stream, events, expected);
    if (stream !== this.stream) return result;
    this.#reach();
    await this.#told;
    return result;
  }
}

/** Counts what is asked of the store; subscriptions aside. */
export class CountsCalls extends StoreInFront {
  reads = 0;

  override readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.reads += 1;
    return super.readStream(stream, options);
  }

  override readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    this.reads += 1;
    return super.readAll(options);
  }

  /** Calls that a deed makes. */
  async during(deed: () => Promise<unknown>): Promise<{ readonly reads: number; readonly appends: number }> {
    const before = { reads: this.reads, appends: this.appends };
    await deed();
    return { reads: this.reads - before.reads, appends: this.appends - before.appends };
  }
}

/** For a while, reads of streams are answered from what stood there at a moment: by a leader that was deposed. */
export class AnswersOld extends StoreInFront {
  #until: Position | undefined;
  #left = 0;

  /** The next reads know nothing that was appended after now. */
  async fallBack(reads: number): Promise<void> {
    this.#until = await this.head('');
    this.#left = reads;
  }

  override async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const events = await super.readStream(stream, options);
    const until = this.#until;
    if (this.#left === 0 || until === undefined) return events;
    this.#left -= 1;
    return events.filter(({ position }) => position <= until);
  }
}
