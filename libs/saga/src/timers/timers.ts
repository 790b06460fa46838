import { setTimeout as delay } from 'node:timers/promises';
import {
  silentLogger,
  type CascadeDesk,
  type Clock,
  type DueTimer,
  type DueTimers,
  type LedgerLogger,
} from '#application';
import { isWorthALine, textOf } from '../work/calls.js';
import { Slots } from '../work/slots.js';
import { FiredTimers } from './fired-timers.js';

/** Timers are looked up this often, and this far ahead. Milliseconds. */
export const pollMs = 1_000;

/** Timers of one look-up, beside those that were fired and are still in the view; and those fired at once. */
export const dueMax = 256;
export const firedAtOnce = 32;

/** With so many fired that the view still shows, no more are looked up until it comes after. */
export const shownMax = 4_096;

export interface TimersOptions {
  readonly desk: CascadeDesk;
  readonly timers: DueTimers;
  readonly clock: Clock;
  readonly logger?: LedgerLogger;
}

/** Fires what is due: requests at their `dueAt`, tasks at their deadline. Never early; after an absence at once. */
export interface Timers {
  start(): void;
  /** Ends what is being fired. */
  close(): Promise<void>;
}

class PollingTimers implements Timers {
  readonly #close = new AbortController();
  readonly #slots = new Slots(firedAtOnce);
  readonly #fired = new FiredTimers();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Required<TimersOptions>) {}

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#close.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#close;
    while (!signal.aborted) {
      const pause = await this.#round();
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Fires what is due now. Milliseconds until the next round. */
  async #round(): Promise<number> {
    try {
      const timers = await this.#dueSoon();
      const now = this.parts.clock.now();
      const due = timers.filter(({ dueAt }) => Date.parse(dueAt) <= now);
      await Promise.all(due.map((timer) => this.#fire(timer)));
      return due.length === 0 ? untilNext(timers, now) : 0;
    } catch (error) {
      this.parts.logger.warn({ error: textOf(error) }, 'the timers that are due could not be read');
      return pollMs;
    }
  }

  /** Those that were not fired yet. */
  async #dueSoon(): Promise<readonly DueTimer[]> {
    const { timers, clock } = this.parts;
    const until = new Date(clock.now() + pollMs).toISOString();
    const found = await timers.due(until, Math.min(dueMax + this.#fired.size, shownMax));
    return this.#fired.others(found);
  }

  /** One that fails is tried again after a pause. */
  async #fire(timer: DueTimer): Promise<void> {
    const { desk, logger } = this.parts;
    const { taskId, kind, cancellationId } = timer;
    this.#fired.add(timer);
    try {
      await this.#slots.run(async () => {
        if (this.#close.signal.aborted) return;
        if (kind === 'deadline') await desk.fire(taskId, { kind });
        else if (cancellationId !== undefined) await desk.fire(taskId, { kind, cancellationId });
      });
    } catch (error) {
      const failures = this.#fired.failed(timer);
      if (isWorthALine(failures))
        logger.warn({ ...timer, failures, error: textOf(error) }, 'a timer could not be fired yet');
    }
  }
}

/** Exactly until the next one that is known. */
const untilNext = (timers: readonly DueTimer[], now: number): number =>
  timers.reduce((least, { dueAt }) => Math.min(least, Math.max(1, Date.parse(dueAt) - now)), pollMs);

/** Nothing is done before `start`. */
export const openTimers = ({ logger = silentLogger, ...options }: TimersOptions): Timers =>
  new PollingTimers({ ...options, logger });
