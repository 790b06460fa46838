import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  FollowedLog,
  LogPage,
  LogPageRequest,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StoreHealth,
  SubscribeOptions,
  Subscription,
} from '#event-store';
import {
  followLog,
  fromPosition,
  LogGrowth,
  OutcomeUnknownError,
  StoreUnavailableError,
  toPosition,
  withCallChecks,
  WrongExpectedRevisionError,
} from '#event-store';
import { MemoryStoreFaults } from './memory-store-faults.js';

export interface MemoryEventStoreOptions {
  /** The store's clock, for `created`. */
  readonly now?: () => Date;
}

/** The whole port in memory, for tests: nothing survives it. `faults` breaks it on purpose. */
export class MemoryEventStore implements EventStore {
  readonly faults = new MemoryStoreFaults();
  readonly #checked: EventStore;

  constructor(options: MemoryEventStoreOptions = {}) {
    this.#checked = withCallChecks(new MemoryLog(this.faults, options.now ?? (() => new Date())));
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.#checked.append(stream, events, expected);
  }

  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.#checked.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.#checked.readAll(options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.#checked.subscribe(options);
  }

  head(prefix: string): Promise<string | undefined> {
    return this.#checked.head(prefix);
  }

  health(): StoreHealth {
    return this.#checked.health();
  }

  close(): Promise<void> {
    return this.#checked.close();
  }
}

class MemoryLog implements EventStore, FollowedLog {
  readonly growth = new LogGrowth();
  /** The event at position `n` stands at index `n - 1`. */
  readonly #all: RecordedEvent[] = [];
  readonly #streams = new Map<string, RecordedEvent[]>();

  constructor(
    private readonly faults: MemoryStoreFaults,
    private readonly now: () => Date,
  ) {}

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    await Promise.resolve();
    this.#mustBeOpen();
    if (this.faults.refuseAppends) throw new StoreUnavailableError('the store takes no appends');
    const result = this.#repeated(stream, events, expected) ?? this.#write(stream, events, expected);
    if (this.faults.takeLostReply()) throw new OutcomeUnknownError(`no answer to an append to ${stream}`);
    return result;
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    await Promise.resolve();
    this.#mustBeOpen();
    const events = this.#streams.get(stream) ?? [];
    const { from, limit } = options;
    if (options.direction !== 'backwards') return events.slice(from ?? 0, (from ?? 0) + limit);
    return events
      .slice(0, (from ?? events.length) + 1)
      .reverse()
      .slice(0, limit);
  }

  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    await Promise.resolve();
    this.#mustBeOpen();
    const { from, limit, prefix } = options;
    const matching = this.#all.filter((event) => event.stream.startsWith(prefix));
    if (options.direction !== 'backwards')
      return matching.filter((event) => from === undefined || event.position >= from).slice(0, limit);
    return matching
      .filter((event) => from === undefined || event.position < from)
      .reverse()
      .slice(0, limit);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return followLog(this, options);
  }

  async page({ after, prefix, limit, signal }: LogPageRequest): Promise<LogPage> {
    await this.faults.released(signal);
    if (this.faults.unavailable) throw new StoreUnavailableError('the store is away');
    const events = this.#all.slice(after, after + limit);
    return {
      events: events.filter((event) => event.stream.startsWith(prefix)),
      scannedTo: after + events.length,
    };
  }

  async head(prefix: string): Promise<string | undefined> {
    await Promise.resolve();
    this.#mustBeOpen();
    return this.#all.findLast((event) => event.stream.startsWith(prefix))?.position;
  }

  health(): StoreHealth {
    if (this.growth.closed) return { writable: false, reason: 'the store is closed' };
    if (this.faults.unavailable) return { writable: false, reason: 'the store is away' };
    if (this.faults.refuseAppends) return { writable: false, reason: 'the store takes no appends' };
    return { writable: true };
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.growth.close();
  }

  #mustBeOpen(): void {
    if (this.growth.closed) throw new StoreUnavailableError('the store is closed');
    if (this.faults.unavailable) throw new StoreUnavailableError('the store is away');
  }

  /** The first result, when just these ids stand where this append would have put them. */
  #repeated(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): AppendResult | undefined {
    if (expected === 'any') return undefined;
    const first = expected === 'none' ? 0 : expected + 1;
    const there = this.#streams.get(stream)?.slice(first, first + events.length) ?? [];
    const last = there.at(-1);
    if (last === undefined || there.length < events.length) return undefined;
    if (there.some((event, index) => event.id !== events[index]?.id)) return undefined;
    return { revision: last.revision, position: last.position };
  }

  #write(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): AppendResult {
    const stored = this.#streams.get(stream) ?? [];
    const actual = stored.at(-1)?.revision ?? 'none';
    if (expected !== 'any' && expected !== actual)
      throw new WrongExpectedRevisionError(stream, expected, actual);
    const created = this.now().toISOString();
    for (const { id, type, data, metadata } of events) {
      const position = toPosition(this.#all.length + 1);
      const event = { stream, revision: stored.length, position, id, type, data, metadata, created };
      stored.push(event);
      this.#all.push(event);
    }
    this.#streams.set(stream, stored);
    const position = toPosition(this.#all.length);
    this.growth.advance(fromPosition(position));
    return { revision: stored.length - 1, position };
  }
}
