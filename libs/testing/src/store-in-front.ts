import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StoreHealth,
  SubscribeOptions,
  Subscription,
} from '#event-store';

/** A store behind which something happens: a real one does the work. */
export class StoreInFront implements EventStore {
  appends = 0;

  constructor(readonly behind: EventStore) {}

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    this.appends += 1;
    return this.behind.append(stream, events, expected);
  }

  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.behind.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.behind.readAll(options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.behind.subscribe(options);
  }

  head(prefix: string): Promise<string | undefined> {
    return this.behind.head(prefix);
  }

  health(): StoreHealth {
    return this.behind.health();
  }

  close(): Promise<void> {
    return this.behind.close();
  }
}
