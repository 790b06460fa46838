/** The highest value that was told before an instant, of values told in any order. */
export class Rising<Value extends number | string> {
  #told: { readonly at: number; value: Value }[] = [];
  #sorted = true;

  tell(at: number, value: Value): void {
    this.#told.push({ at, value });
    this.#sorted = false;
  }

  /** Undefined where nothing was told before `instant`. */
  before(instant: number): Value | undefined {
    this.#sort();
    let low = 0;
    let high = this.#told.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#told[middle]?.at ?? Infinity) < instant) low = middle + 1;
      else high = middle;
    }
    return this.#told[low - 1]?.value;
  }

  #sort(): void {
    if (this.#sorted) return;
    this.#told.sort((one, other) => one.at - other.at);
    let highest = this.#told[0]?.value;
    for (const entry of this.#told) {
      if (highest !== undefined && highest > entry.value) entry.value = highest;
      highest = entry.value;
    }
    this.#sorted = true;
  }
}
