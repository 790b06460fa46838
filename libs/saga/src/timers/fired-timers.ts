import type { DueTimer } from '#application';

/** A timer that was fired and still stands in the view is fired again after this; milliseconds. */
export const firedMs = 30_000;
/** The same after a first failure; it doubles with each one, up to {@link firedMs}. */
export const failedMs = 1_000;

interface Fired {
  /** Until when, by the process's own clock, the timer is passed over. */
  readonly until: number;
  /** How often in a row it failed. */
  readonly failures: number;
}

/**
 * Timers that were fired a moment ago: the view from which they come is behind the log, and shows them for a while.
 * Firing one twice changes nothing; this only spares it.
 */
export class FiredTimers {
  readonly #fired = new Map<string, Fired>();

  /** @param now milliseconds that only grow */
  constructor(private readonly now: () => number = () => performance.now()) {}

  get size(): number {
    return this.#fired.size;
  }

  add(timer: DueTimer): void {
    this.#pass(timer, firedMs, this.#failuresOf(timer));
  }

  /** How often in a row it has failed by now: one that cannot be fired is tried ever less often, and heard of so. */
  failed(timer: DueTimer): number {
    const failures = this.#failuresOf(timer) + 1;
    this.#pass(timer, Math.min(failedMs * 2 ** (failures - 1), firedMs), failures);
    return failures;
  }

  /** Those of a look-up that are to be fired now. What the look-up does not show any more is forgotten. */
  others(found: readonly DueTimer[]): readonly DueTimer[] {
    const now = this.now();
    const shown = new Set(found.map(keyOf));
    for (const key of this.#fired.keys()) if (!shown.has(key)) this.#fired.delete(key);
    return found.filter((timer) => (this.#fired.get(keyOf(timer))?.until ?? now) <= now);
  }

  #failuresOf(timer: DueTimer): number {
    return this.#fired.get(keyOf(timer))?.failures ?? 0;
  }

  #pass(timer: DueTimer, milliseconds: number, failures: number): void {
    this.#fired.set(keyOf(timer), { until: this.now() + milliseconds, failures });
  }
}

const keyOf = ({ taskId, kind, cancellationId = '', dueAt }: DueTimer): string =>
  JSON.stringify([taskId, kind, cancellationId, dueAt]);
