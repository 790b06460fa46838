/** When something happened, and the longest time in which it did not. Milliseconds. */
export class Sightings {
  #count = 0;
  #last: number;
  #longest = 0;

  constructor(private readonly now: () => number) {
    this.#last = now();
  }

  get count(): number {
    return this.#count;
  }

  see(count = 1): void {
    this.#longest = this.longestGap;
    this.#last = this.now();
    this.#count += count;
  }

  get currentGap(): number {
    return this.now() - this.#last;
  }

  /** Since the beginning, this moment included. */
  get longestGap(): number {
    return Math.max(this.#longest, this.currentGap);
  }
}
