import { defaultLimits } from './options.js';

/** Everything that comes in and goes out passes here, in order: it can be held back or slowed down. */
export class Gate {
  #hanging = false;
  #delayMs = 0;
  readonly #held: (() => void)[] = [];

  constructor(private readonly maximumHeld = defaultLimits.maximumHeld) {}

  /**
   * Does the work now, unless the emulator hangs: then when it goes on.
   *
   * @throws Error when too much is held back already.
   */
  enter(work: () => void): void {
    if (!this.#hanging) {
      work();
      return;
    }
    if (this.#held.length >= this.maximumHeld)
      throw new Error('the emulator hangs, and too much waits for it');
    this.#held.push(work);
  }

  /** As {@link enter}, for what goes out: after the delay where there is one. */
  leave(work: () => void): void {
    if (this.#delayMs === 0) this.enter(work);
    else setTimeout(() => this.enter(work), this.#delayMs);
  }

  /** Whether something that goes out would be held back or slowed down. */
  get isOpen(): boolean {
    return !this.#hanging && this.#delayMs === 0;
  }

  /** What is held back. */
  get held(): number {
    return this.#held.length;
  }

  hang(): void {
    this.#hanging = true;
  }

  /** What was held back happens now, in its order. */
  resume(): void {
    this.#hanging = false;
    for (const work of this.#held.splice(0)) work();
  }

  /** Milliseconds between what is ready to go out and its going. */
  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }
}
