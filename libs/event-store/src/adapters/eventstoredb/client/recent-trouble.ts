import type { Clock } from './clock.js';

/** What kept the last append from being taken, for a while: without another append nobody would take it back. */
export class RecentTrouble {
  #reason: string | undefined;
  #since = 0;

  constructor(
    private readonly milliseconds: number,
    private readonly clock: Clock,
  ) {}

  /** Undefined: an append was taken. */
  note(reason: string | undefined): void {
    this.#reason = reason;
    if (reason !== undefined) this.#since = this.clock.now();
  }

  get reason(): string | undefined {
    return this.clock.now() - this.#since < this.milliseconds ? this.#reason : undefined;
  }
}
