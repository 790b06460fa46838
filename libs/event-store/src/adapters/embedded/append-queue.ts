import { OutcomeUnknownError, StoreUnavailableError, WrongExpectedRevisionError } from '../../errors.js';
import type { AppendResult } from '../../port.js';
import { toPosition } from '../../positions.js';
import {
  batchAppendsMax,
  batchBytesMax,
  batchesInFlightMax,
  queueAppendsMax,
  queueBytesMax,
} from './limits.js';
import type { AppendOutcome, AppendRequest, CommittedMessage } from './messages.js';
import { readOutcome } from './messages.js';

/** An append that was written, as the batch it came in has it. */
export interface WrittenAppend {
  readonly request: AppendRequest;
  /** Of its last event. */
  readonly revision: number;
  readonly position: number;
}

interface WaitingAppend {
  readonly request: AppendRequest;
  readonly size: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit, the side of the callers: whatever has arrived in one turn of the event loop goes to the commit
 * thread as one message. The thread makes one transaction of all messages that have come while it was busy.
 */
export class AppendQueue {
  #waiting: WaitingAppend[] = [];
  #waitingBytes = 0;
  readonly #inFlight: (readonly WaitingAppend[])[] = [];
  #scheduled = false;
  #open = true;
  #whenDrained: (() => void) | undefined;

  /** `send` takes one batch to the commit thread; answers come back through {@link settle}, in the same order. */
  constructor(private readonly send: (batch: readonly AppendRequest[]) => void) {}

  append(request: AppendRequest): Promise<AppendResult> {
    const size = sizeOf(request);
    if (this.#waiting.length >= queueAppendsMax || this.#waitingBytes + size > queueBytesMax)
      return Promise.reject(
        new StoreUnavailableError(`${String(this.#waiting.length)} appends are waiting already`),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, size, resolve, reject });
      this.#waitingBytes += size;
      this.#schedule();
    });
  }

  /** Answers the callers of the oldest batches under way. Says which of its appends were written. */
  settle(message: CommittedMessage): WrittenAppend[] {
    const appends = this.#inFlight.splice(0, message.batches).flat();
    const written: WrittenAppend[] = [];
    for (const [index, append] of appends.entries()) {
      const outcome = readOutcome(message.outcomes, index);
      if (outcome.kind === 'written')
        written.push({ request: append.request, revision: outcome.revision, position: outcome.position });
      answer(append, outcome);
    }
    this.#schedule();
    this.#tellDrained();
    return written;
  }

  /**
   * The commit thread is gone: what was under way may have been written. What waits goes on waiting for the next
   * thread; when that one does not come up either, it is refused.
   */
  suspend(reason: string): void {
    const isGoneAgain = !this.#open;
    this.#open = false;
    for (const append of this.#inFlight.splice(0).flat())
      append.reject(new OutcomeUnknownError(`the commit thread ended during an append: ${reason}`));
    if (isGoneAgain || this.#whenDrained !== undefined) this.#refuseWaiting(reason);
    this.#tellDrained();
  }

  resume(): void {
    this.#open = true;
    this.#schedule();
  }

  /** Resolves when every append that was taken has been answered; without a commit thread, by a refusal. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenDrained = resolve;
      if (!this.#open) this.#refuseWaiting('the store closes');
      this.#tellDrained();
    });
  }

  #refuseWaiting(reason: string): void {
    for (const append of this.#waiting.splice(0))
      append.reject(new StoreUnavailableError(`there is no commit thread: ${reason}`));
    this.#waitingBytes = 0;
  }

  #schedule(): void {
    if (this.#scheduled || !this.#open || this.#waiting.length === 0) return;
    if (this.#inFlight.length >= batchesInFlightMax) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#open) this.#sendBatch();
      this.#schedule();
    });
  }

  #sendBatch(): void {
    let bytes = 0;
    let count = 0;
    for (const { size } of this.#waiting) {
      if (count === batchAppendsMax || (count > 0 && bytes + size > batchBytesMax)) break;
      bytes += size;
      count += 1;
    }
    const batch = this.#waiting.splice(0, count);
    this.#waitingBytes -= bytes;
    this.#inFlight.push(batch);
    this.send(batch.map(({ request }) => request));
  }

  #tellDrained(): void {
    if (this.#waiting.length === 0 && this.#inFlight.length === 0) this.#whenDrained?.();
  }
}

/** UTF-16 units of the texts: near enough to bytes for a bound, and free. */
const sizeOf = ({ stream, events }: AppendRequest): number => {
  let size = stream.length;
  for (const { id, type, data, metadata } of events)
    size += id.length + type.length + data.length + metadata.length;
  return size;
};

const answer = ({ request, resolve, reject }: WaitingAppend, outcome: AppendOutcome): void => {
  switch (outcome.kind) {
    case 'written':
    case 'repeated':
      resolve({ revision: outcome.revision, position: toPosition(outcome.position) });
      return;
    case 'conflict':
      reject(new WrongExpectedRevisionError(request.stream, request.expected, outcome.actual));
      return;
    case 'refused':
      reject(new StoreUnavailableError(outcome.reason));
      return;
    case 'unknown':
      reject(new OutcomeUnknownError(outcome.reason));
      return;
  }
};
