import {
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  OutcomeUnknownError,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StoreHealth,
  type SubscribeOptions,
  type Subscription,
} from '#event-store';

/** A store whose replies can be lost after the commit, and that others write to in between (C36). */
export class FailingStore implements EventStore {
  /** Called before each append of the ledger: somebody else's chance. */
  beforeAppend: (stream: string) => Promise<void> = () => Promise.resolve();
  #lost = 0;
  appends = 0;

  constructor(readonly inner: EventStore) {}

  /** The replies of the next `count` appends get lost; the appends are committed. */
  loseReplies(count: number): void {
    this.#lost = count;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    await this.beforeAppend(stream);
    this.appends += 1;
    const result = await this.inner.append(stream, events, expected);
    if (this.#lost === 0) return result;
    this.#lost -= 1;
    throw new OutcomeUnknownError(`the reply to an append to ${stream} got lost`);
  }

  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.inner.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.inner.readAll(options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.inner.subscribe(options);
  }

  head(prefix: string): Promise<string | undefined> {
    return this.inner.head(prefix);
  }

  health(): StoreHealth {
    return this.inner.health();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
