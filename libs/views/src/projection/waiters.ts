import type { Position } from '#event-store';

interface Waiter {
  readonly position: Position;
  readonly finish: (reached: boolean) => void;
}

/** Those who wait until the view that serves has reached a position. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether it was reached in time. */
  wait(position: Position, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        finish: (reached) => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => {
        waiter.finish(false);
      }, timeoutMs);
      this.#waiting.add(waiter);
    });
  }

  reached(position: Position): void {
    for (const waiter of this.#waiting) if (waiter.position <= position) waiter.finish(true);
  }

  /** Nobody waits any longer. */
  end(): void {
    for (const waiter of this.#waiting) waiter.finish(false);
  }
}
