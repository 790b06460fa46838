import type { DueTimer } from '#application';

/** A timer that was fired and still stands in the view is fired again after this; milliseconds. */
export const firedMs = 30_000;
/** The same after a failure. */
export const failedMs = 1_000;

/**
 * Timers that were fired a moment ago: the view from which they come is behind the log, and shows them for a while.
 * Firing one twice changes nothing; this only spares it.
 */
export class FiredTimers {
  /** Until when, by the process's own clock, a timer is passed over. */
  readonly #until = new Map<string, number>();

  get size(): number {
    return this.#until.size;
  }

  add(timer: DueTimer): void {
    this.#until.set(keyOf(timer), performance.now() + firedMs);
  }

  failed(timer: DueTimer): void {
    this.#until.set(keyOf(timer), performance.now() + failedMs);
  }

  /** Those of a look-up that were not fired. What the look-up does not show any more is forgotten. */
  others(found: readonly DueTimer[]): readonly DueTimer[] {
    const now = performance.now();
    const shown = new Set(found.map(keyOf));
    for (const [key, until] of this.#until) if (!shown.has(key) || until <= now) this.#until.delete(key);
    return found.filter((timer) => !this.#until.has(keyOf(timer)));
  }
}

const keyOf = ({ taskId, kind, cancellationId = '', dueAt }: DueTimer): string =>
  JSON.stringify([taskId, kind, cancellationId, dueAt]);
