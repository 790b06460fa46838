/**
 * The event store as the ledger sees it: append with an expected revision, read a stream, read everything,
 * subscribe, head. Bodies are JSON *text*: what an event means is not this library's business, and a body that
 * cannot be parsed must still be readable.
 */

/** Revision of an event in its stream; the first is 0. */
export type Revision = number;

/**
 * Place of an event in the whole log: 20 decimal digits, so that text order is log order. Opaque otherwise:
 * positions are ordered and never dense. The edge puts the log's id in front of it.
 */
export type Position = string;

/**
 * What the writer believes about the stream: `none`, it does not exist; a number, the revision of its last event;
 * `any`, no belief at all (and no promise: an append repeated with `any` may be stored twice).
 */
export type ExpectedRevision = Revision | 'none' | 'any';

export interface NewEvent {
  /** A UUID. An append repeated with the same ids at the same expected revision returns the original result. */
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text of a flat map of strings. */
  readonly metadata: string;
}

export interface RecordedEvent {
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  /** The store's own clock, ISO 8601; for operators, never for decisions. */
  readonly created: string;
}

/** Revision and position of the last event of an append. */
export interface AppendResult {
  readonly revision: Revision;
  readonly position: Position;
}

export type Direction = 'forwards' | 'backwards';

export interface ReadStreamOptions {
  /** Included, in both directions. Default: the first event forwards, the last one backwards. */
  readonly from?: Revision;
  readonly direction?: Direction;
  /** Most events to return, 1 to {@link pageSizeMax}. */
  readonly limit: number;
}

export interface ReadAllOptions {
  /** Forwards included, backwards excluded. Default: the start forwards, the end backwards. */
  readonly from?: Position;
  readonly direction?: Direction;
  /** Most events to return, 1 to {@link pageSizeMax}. */
  readonly limit: number;
  /** Only streams whose name begins with this. */
  readonly prefix: string;
}

export interface SubscribeOptions {
  /** Excluded: the subscription begins with the event after it. */
  readonly from: Position | 'start' | 'end';
  /** Only streams whose name begins with this. */
  readonly prefix: string;
  /** Most events in one message, 1 to {@link pageSizeMax}. Default 500. */
  readonly batchSize?: number;
  /** Ends the subscription: the iteration finishes without an error. */
  readonly signal?: AbortSignal;
}

/**
 * `events`: one or more events in log order. `live`: everything that was there has been delivered; may be told many
 * times and never means that nothing is being written.
 */
export type SubscriptionMessage =
  { readonly kind: 'events'; readonly events: readonly RecordedEvent[] } | { readonly kind: 'live' };

/**
 * Catch-up subscription: log order, no gap, at least once, stable ids, resumes by itself after a lost connection.
 * The consumer sets the pace: nothing is fetched beyond one message ahead. Leaving the loop ends it.
 */
export type Subscription = AsyncIterable<SubscriptionMessage>;

export interface EventStore {
  /**
   * All of `events` or none of them.
   * @throws WrongExpectedRevisionError, AppendTooLargeError, InvalidStoreCallError, StoreUnavailableError,
   *   OutcomeUnknownError, StreamDeletedError
   */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;

  /** One page of a stream; empty when the stream does not exist or has nothing there. */
  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /** One page of the log. */
  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;

  subscribe(options: SubscribeOptions): Subscription;

  /** Position of the newest event under the prefix, or undefined when there is none (or it is not known). */
  head(prefix: string): Promise<Position | undefined>;

  /** Health for the operator: may this store take appends now? The text says why not. */
  health(): StoreHealth;

  /** Ends subscriptions, finishes the appends that were accepted and lets go of the store. */
  close(): Promise<void>;
}

/**
 * `behind` says why what follows the log may be behind it, though appends are taken: a subscription was lost or has
 * gone silent. Absent while every subscription is in order.
 */
export type StoreHealth =
  | { readonly writable: true; readonly behind?: string }
  | { readonly writable: false; readonly reason: string; readonly behind?: string };

/** Events of one read or one subscription message. */
export const pageSizeMax = 4_096;

/** One append with types, data and metadata, on every backend (EventStoreDB allows 1 MiB). Bytes of UTF-8. */
export const appendBytesMax = 1_000_000;

/** Events of one append. */
export const appendEventsMax = 1_000;
