import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work after which everybody else in the process has a turn. */
const turnMs = 4;

/** At most so many calls at once, in the order they came; others in the process are let in between. */
export class Slots {
  #inUse = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #idlers: (() => void)[] = [];
  #turnBegan = performance.now();
  #breath: Promise<void> | undefined;

  constructor(private readonly limit: number) {}

  get inUse(): number {
    return this.#inUse;
  }

  /** Resolves when nobody has a place. */
  async idle(): Promise<void> {
    while (this.#inUse > 0) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#inUse < this.limit) this.#inUse += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await this.#breathe();
      return await call();
    } finally {
      this.#leave();
    }
  }

  /** The place goes to the one who waits longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#inUse -= 1;
    if (this.#inUse === 0) for (const resolve of this.#idlers.splice(0)) resolve();
  }

  /** Folds in memory answer without the event loop: without a break, ten thousand of them would keep out the rest. */
  #breathe(): Promise<void> | undefined {
    if (this.#breath !== undefined || performance.now() - this.#turnBegan < turnMs) return this.#breath;
    this.#breath = nextTurn().then(() => {
      this.#breath = undefined;
      this.#turnBegan = performance.now();
    });
    return this.#breath;
  }
}
