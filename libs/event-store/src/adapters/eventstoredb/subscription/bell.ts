/** Wakes everybody who waits for something to change. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next ring, or when the signal aborts; with false after so many milliseconds. */
  wait(signal: AbortSignal, milliseconds?: number): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (rang: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(rang);
      };
      const wake = (): void => settle(true);
      const timer = milliseconds === undefined ? undefined : setTimeout(() => settle(false), milliseconds);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
