/** Where a log ends, and a bell for those who follow it: it rings when the log grows or closes. */
export class LogGrowth {
  #newest: number;
  #closed = false;
  readonly #waiting = new Set<() => void>();

  constructor(newest = 0) {
    this.#newest = newest;
  }

  /** Position of the newest event known, whatever its stream; 0 for an empty log. */
  get newest(): number {
    return this.#newest;
  }

  get closed(): boolean {
    return this.#closed;
  }

  advance(newest: number): void {
    if (newest <= this.#newest) return;
    this.#newest = newest;
    this.#ring();
  }

  close(): void {
    this.#closed = true;
    this.#ring();
  }

  /** Resolves when something stands after `position`, at the close, or when the signal aborts. */
  wait(position: number, signal: AbortSignal): Promise<void> {
    if (this.#newest > position || this.#closed || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
