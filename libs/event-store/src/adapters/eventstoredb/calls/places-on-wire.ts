/** So many at once, the others in the order in which they came. */
export class PlacesOnWire {
  #free: number;
  readonly #waiting = new Set<(isTaken: boolean) => void>();

  constructor(places: number) {
    this.#free = places;
  }

  /** At once where one is free. False when none became free within `milliseconds`. */
  take(milliseconds: number): Promise<boolean> | true {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => answer(false), milliseconds);
      const answer = (isTaken: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(answer);
        resolve(isTaken);
      };
      this.#waiting.add(answer);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next(true);
  }
}
