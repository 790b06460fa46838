/** Rings when something changed; whoever waits looks for himself. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  ring(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves at the next ring. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }
}

/** How much is being worked on, for those who wait until it is little, or nothing. */
export class Busy {
  #count = 0;

  constructor(readonly bell: Bell) {}

  get count(): number {
    return this.#count;
  }

  add(amount: number): void {
    this.#count += amount;
    if (amount < 0) this.bell.ring();
  }

  async below(limit: number, signal: AbortSignal): Promise<void> {
    while (this.#count >= limit && !signal.aborted) await this.bell.next();
  }
}
