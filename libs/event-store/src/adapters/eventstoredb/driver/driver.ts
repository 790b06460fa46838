/**
 * What the adapter needs of a client of EventStoreDB, so that two of them fit: `@eventstore/db-client` 6.2.1 and
 * `@kurrent/kurrentdb-client` 1.3. Revisions and positions are bigint here and nowhere else. A driver does not retry,
 * does not wait for longer than its client does and keeps no state beside its client: all of that is the adapter's.
 */

export interface DriverPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export interface DriverNewEvent {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
}

export interface DriverEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: DriverPosition;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  readonly created: Date;
}

export interface DriverAppendResult {
  readonly revision: bigint;
  readonly position: DriverPosition;
}

export type DriverExpected = bigint | 'none' | 'any';

export interface DriverRead {
  readonly direction: 'forwards' | 'backwards';
  /** At least 1. */
  readonly limit: number;
}

/** Ends the call on the server too. */
export interface DriverCall<Answer> {
  readonly answer: Promise<Answer>;
  cancel(): void;
}

/** What a subscription tells; `error` is told once at most and is its end. */
export interface DriverSubscriber {
  event(event: DriverEvent): void;
  /** Scanned up to here without an event for us. */
  checkpoint(position: DriverPosition): void;
  /** May come many times; never means idle. */
  caughtUp(): void;
  error(error: unknown): void;
}

export interface DriverSubscription {
  pause(): void;
  resume(): void;
  /** Ends it; the subscriber is told nothing more. */
  cancel(): void;
}

export interface Driver {
  append(
    stream: string,
    events: readonly DriverNewEvent[],
    expected: DriverExpected,
  ): Promise<DriverAppendResult>;
  /** From a leader. Empty where the stream is missing. */
  readStream(
    stream: string,
    options: DriverRead & { readonly from: bigint | 'start' | 'end' },
  ): DriverCall<readonly DriverEvent[]>;
  /** From a leader. With `prefix` only streams whose name begins with it; `''` leaves out the server's own streams. */
  readAll(
    options: DriverRead & { readonly from: DriverPosition | 'start' | 'end'; readonly prefix?: string },
  ): DriverCall<readonly DriverEvent[]>;
  subscribeAll(
    options: { readonly from: DriverPosition | 'start' | 'end'; readonly prefix: string },
    subscriber: DriverSubscriber,
  ): DriverSubscription;
  /** Waits for nothing longer than a second. */
  dispose(): Promise<void>;
}
