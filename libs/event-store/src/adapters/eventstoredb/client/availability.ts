import { setTimeout as delay } from 'node:timers/promises';
import type { StoreTimings } from '../limits.js';

type Timings = Pick<StoreTimings, 'probe' | 'probeMax'>;

/**
 * Whether the server answers. From a failure that brought no word of the server until its next word it is away: who
 * calls then is not kept waiting, and one question in the background, asked again and again, notices its return.
 */
export class Availability {
  #reason: string | undefined;
  #probing = false;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<(isBack: boolean) => void>();

  /** `probe` asks the server something cheap; whether it resolves or rejects is all the same. */
  constructor(
    private readonly timings: Timings,
    private readonly probe: () => Promise<unknown>,
  ) {}

  /** Why the server is taken to be away; undefined while it answers. */
  get awayReason(): string | undefined {
    return this.#reason;
  }

  /** A word of the server, whatever it was. */
  replied(): void {
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    this.#wake(true);
  }

  /** A call failed without a word of the server. */
  failed(reason: string): void {
    this.#reason = reason;
    if (!this.#probing) void this.#probeUntilBack();
  }

  /** True when the server answers, at once or within `milliseconds`. */
  whenBack(milliseconds: number): Promise<boolean> {
    if (this.#reason === undefined) return Promise.resolve(true);
    if (this.#closing.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => answer(false), milliseconds);
      const answer = (isBack: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(answer);
        resolve(isBack);
      };
      this.#waiting.add(answer);
    });
  }

  close(): void {
    this.#closing.abort();
    this.#wake(false);
  }

  async #probeUntilBack(): Promise<void> {
    this.#probing = true;
    let pause = this.timings.probe;
    while (this.#isAway()) {
      await this.probe().catch(() => undefined);
      if (!this.#isAway()) break;
      await delay(pause, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
      pause = Math.min(2 * pause, this.timings.probeMax);
    }
    this.#probing = false;
  }

  #isAway(): boolean {
    return this.#reason !== undefined && !this.#closing.signal.aborted;
  }

  #wake(isBack: boolean): void {
    for (const answer of [...this.#waiting]) answer(isBack);
  }
}
