import type { ExpectedRevision, Revision } from './port.js';

/** What every adapter throws, and nothing else; `code` is stable. */
export abstract class EventStoreError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The stream is not where the writer believed. `actual`: its last revision, `none` when it does not exist. */
export class WrongExpectedRevisionError extends EventStoreError {
  readonly code = 'wrong-expected-revision';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: Revision | 'none',
  ) {
    super(`stream ${stream}: expected revision ${String(expected)}, found ${String(actual)}`);
  }
}

/** Refused before anything was written: more than the limit in one append. Bytes. */
export class AppendTooLargeError extends EventStoreError {
  readonly code = 'append-too-large';
  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(`an append of ${String(bytes)} bytes is over the limit of ${String(limit)}`);
  }
}

/** A call that no backend may see: an empty append, an empty name or type, an id twice, a read of 0. */
export class InvalidStoreCallError extends EventStoreError {
  readonly code = 'invalid-store-call';
}

/** The store takes nothing now (down, full, locked, closing); nothing of this call was written. */
export class StoreUnavailableError extends EventStoreError {
  readonly code = 'store-unavailable';
}

/** No answer came: the append may or may not be there. Repeat it with the same ids, or read the stream. */
export class OutcomeUnknownError extends EventStoreError {
  readonly code = 'outcome-unknown';
}

/** An operator deleted the stream for ever: nothing can be appended to it or read of it again. */
export class StreamDeletedError extends EventStoreError {
  readonly code = 'stream-deleted';
  constructor(readonly stream: string) {
    super(`stream ${stream} was deleted for ever`);
  }
}

/** The log holds another event, or none, where a consumer stands: it was restored, or it is another log. */
export class LogChangedError extends EventStoreError {
  readonly code = 'log-changed';
}
