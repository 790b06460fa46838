/** What a test may break in the memory store. */
export class MemoryStoreFaults {
  /** Everything is refused, and subscriptions bring nothing until it is back. */
  unavailable = false;
  /** As with a full disk: appends are refused, reads and subscriptions go on. */
  refuseAppends = false;
  #lostReplies = 0;
  #held = false;
  readonly #waiting = new Set<() => void>();

  /** The next append that would succeed is committed, and its caller gets an OutcomeUnknownError. */
  loseNextReply(): void {
    this.#lostReplies += 1;
  }

  /** From now on no subscription brings anything, until {@link release}. Appends and reads go on. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    for (const wake of [...this.#waiting]) wake();
  }

  takeLostReply(): boolean {
    if (this.#lostReplies === 0) return false;
    this.#lostReplies -= 1;
    return true;
  }

  /** Resolves when subscriptions are not held, or when the signal aborts. */
  released(signal: AbortSignal): Promise<void> {
    if (!this.#held || signal.aborted) return Promise.resolve();
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
}
