/** At most so many at a time; the others wait their turn, first come, first served. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with the function that gives the slot back; a signal ends the wait without a slot. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn(signal))) return () => undefined;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  /** A slot is handed on without being free in between. False when the signal fired before. */
  #turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (turn: boolean): void => {
        this.#waiting.delete(take);
        signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      const take = (): void => settle(true);
      const leave = (): void => settle(false);
      this.#waiting.add(take);
      signal.addEventListener('abort', leave);
    });
  }
}
