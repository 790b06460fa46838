import {
  StoreUnavailableError,
  type AppendResult,
  type ExpectedRevision,
  type NewEvent,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '#event-store';
import { StoreInFront } from '#testing';

/** The process dies after its n-th append: nothing more is written by it. */
export class DiesAfter extends StoreInFront {
  readonly died: Promise<void>;
  #die: () => void = () => undefined;

  constructor(
    behind: StoreInFront['behind'],
    public left: number,
  ) {
    super(behind);
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  override append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    if (this.left === 0) {
      this.#die();
      return Promise.reject(new StoreUnavailableError('the process is gone'));
    }
    this.left -= 1;
    return super.append(stream, events, expected);
  }
}

/** Shows the events of one type in some streams as if they were of a type that nobody knows yet. */
export class Garbles extends StoreInFront {
  constructor(
    behind: StoreInFront['behind'],
    private readonly concerns: (event: RecordedEvent) => boolean,
  ) {
    super(behind);
  }

  override async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return (await super.readStream(stream, options)).map((event) => this.#garbled(event));
  }

  override async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    for await (const message of super.subscribe(options))
      yield message.kind === 'events'
        ? { kind: 'events', events: message.events.map((event) => this.#garbled(event)) }
        : message;
  }

  #garbled(event: RecordedEvent): RecordedEvent {
    return this.concerns(event) ? { ...event, type: 'OfTheFuture' } : event;
  }
}

/** Counts what is under way at once. */
export class CountsInFlight extends StoreInFront {
  most = 0;
  #now = 0;

  override append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#counted(super.append(stream, events, expected));
  }

  override readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.#counted(super.readStream(stream, options));
  }

  async #counted<Result>(call: Promise<Result>): Promise<Result> {
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    try {
      return await call;
    } finally {
      this.#now -= 1;
    }
  }
}

/** Something happens before each append; what is thrown there takes its place. */
export class BeforeAppend extends StoreInFront {
  constructor(
    behind: StoreInFront['behind'],
    private readonly before: (stream: string) => Promise<void>,
  ) {
    super(behind);
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    await this.before(stream);
    return super.append(stream, events, expected);
  }
}
