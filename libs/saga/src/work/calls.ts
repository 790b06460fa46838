import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerLogger } from '#application';
import type { SagaMetrics } from '../telemetry.js';
import type { Slots } from './slots.js';
import { StoppedError } from './stopped-error.js';

/** Pause after the first failure; it doubles up to the longest one, each time shortened by chance. Milliseconds. */
const retryPauseMs = 50;
const retryPauseMsMax = 10_000;

export interface CallParts {
  readonly slots: Slots;
  /** Ends every wait and every retry. */
  readonly signal: AbortSignal;
  readonly logger: LedgerLogger;
  readonly metrics: SagaMetrics;
}

/** What the saga was about to do, for the log: ids and kinds, no contents. */
export type CallSubject = Readonly<Record<string, string | number>>;

/** Every call that the saga makes of the ledger: bounded in number, and tried again while the saga runs. */
export class Calls {
  constructor(private readonly parts: CallParts) {}

  get stopped(): boolean {
    return this.parts.signal.aborted;
  }

  /** Tried until it succeeds. @throws StoppedError */
  async ask<Result>(subject: CallSubject, call: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.once(call);
      } catch (error) {
        await this.backOff(subject, failures, error);
      }
    }
  }

  /** Tried once. @throws StoppedError, and what the call throws */
  once<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.parts.slots.run(() => {
      if (this.stopped) throw new StoppedError();
      return call();
    });
  }

  /** Waits before the next try. @throws StoppedError */
  async backOff(subject: CallSubject, failures: number, error: unknown): Promise<void> {
    if (this.stopped || error instanceof StoppedError) throw new StoppedError();
    const { logger, metrics, signal } = this.parts;
    metrics.retried();
    if (isWorthALine(failures))
      logger.warn({ ...subject, failures, error: textOf(error) }, 'the saga tries again');
    const pause = Math.min(retryPauseMs * 2 ** (failures - 1), retryPauseMsMax);
    await delay(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {
      throw new StoppedError();
    });
  }
}

/** The first failures of a thing, then ever fewer: an outage of an hour is no thousand lines. */
export const isWorthALine = (failures: number): boolean => Number.isInteger(Math.log2(failures));

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
