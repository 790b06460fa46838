import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '#domain';
import { isStoreAway } from '../store/failures.js';

/** Pauses between looks for a store that is away: the first one, which doubles, and the longest. Milliseconds. */
const awayMs = 100;
const awayMsMax = 1_000;
/** Pause before a store is asked again that answers as it was before. Milliseconds. */
const momentMs = 25;

/** Waits for a store that is away, ever longer, as long as somebody waits for what it holds. */
export class Outage {
  #failures = 0;

  constructor(private readonly signal: AbortSignal) {}

  over(): void {
    this.#failures = 0;
  }

  moment(): Promise<void> {
    return this.#pause(momentMs);
  }

  /** @throws the error itself where the store is not just away */
  async waitOut(error: unknown): Promise<void> {
    if (!isStoreAway(error) && !(error instanceof DomainError && error.code === 'unavailable')) throw error;
    const pause = Math.min(awayMsMax, awayMs * 2 ** this.#failures);
    this.#failures += 1;
    await this.#pause(pause * (0.5 + Math.random() / 2));
  }

  async #pause(milliseconds: number): Promise<void> {
    // Nobody waits any more: that is the end, not a failure.
    await delay(milliseconds, undefined, { signal: this.signal }).catch(() => undefined);
  }
}
