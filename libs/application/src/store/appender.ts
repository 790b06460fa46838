import { setTimeout as delay } from 'node:timers/promises';
import {
  OutcomeUnknownError,
  StoreUnavailableError,
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
} from '#event-store';
import type { Ids } from '../ports/clock.js';
import type { LedgerMetrics } from '../ports/telemetry.js';

/** Repetitions of one append whose answer was lost. */
export const appendRepeatsMax = 5;
const pauseMsMax = 200;

/** A pause that grows with the attempt and differs between rivals, so that they do not meet again. */
export const jitter = (ids: Ids, attempt: number): Promise<void> =>
  delay(ids.random() * Math.min(pauseMsMax, 2 ** attempt));

/** Appends at an exact revision; an append whose answer was lost is repeated with the same ids. */
export class Appender {
  constructor(
    private readonly store: EventStore,
    private readonly ids: Ids,
    private readonly metrics: LedgerMetrics,
  ) {}

  /** @throws what the port throws; OutcomeUnknownError only when every repetition went unanswered */
  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const started = performance.now();
    let lost: OutcomeUnknownError | undefined;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await this.store.append(stream, events, expected);
        this.metrics.appended(events.length, performance.now() - started);
        return result;
      } catch (error) {
        if (error instanceof OutcomeUnknownError) lost = error;
        // A repetition that was turned away says nothing of the append whose answer was lost.
        if (lost === undefined || !(error === lost || error instanceof StoreUnavailableError)) throw error;
        if (attempt >= appendRepeatsMax) throw lost;
        await jitter(this.ids, attempt);
      }
    }
  }
}
