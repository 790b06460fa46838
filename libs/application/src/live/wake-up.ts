import { Subscription, type Observable } from 'rxjs';

/** Remembers how far a task has come, and wakes its one waiter when that is news to him. */
export class WakeUp {
  #seen = -1;
  #closed = false;
  #wake: (() => void) | undefined;
  readonly #subscription = new Subscription();
  readonly #stop = (): void => {
    this.close();
  };

  /** @param revisions of the task as they are seen; their end is the end of the watch */
  constructor(
    revisions: Observable<number>,
    private readonly signal: AbortSignal,
    private readonly released: () => void,
  ) {
    const subscribed = revisions.subscribe({
      next: (revision) => {
        if (revision > this.#seen) this.#seen = revision;
        this.#wake?.();
      },
      complete: this.#stop,
    });
    this.#subscription.add(subscribed);
    if (signal.aborted) this.close();
    if (!this.#closed) signal.addEventListener('abort', this.#stop);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The newest revision that was told, -1 before the first. */
  get seen(): number {
    return this.#seen;
  }

  /** Resolves when the task has come beyond `revision`, or when the watch is over. */
  async beyond(revision: number): Promise<void> {
    while (!this.#closed && this.#seen <= revision) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
  }

  /** Frees everything at once, also while nobody asks for the next change. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#subscription.unsubscribe();
    this.signal.removeEventListener('abort', this.#stop);
    this.released();
    this.#wake?.();
  }
}
