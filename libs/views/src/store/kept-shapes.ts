/** Combinations of filters whose statements are kept. */
const shapesMax = 64;

/** Statements of lists with the same filters, whatever the values: the newest ones are kept. */
export class KeptShapes<Parameters extends object, Made> {
  readonly #made = new Map<string, Made>();

  constructor(private readonly make: (shape: readonly (keyof Parameters)[]) => Made) {}

  /** @param selected only its members' names matter */
  of(selected: Parameters): Made {
    const shape = Object.keys(selected) as (keyof Parameters)[];
    const name = shape.join();
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#made.keys();
    if (this.#made.size >= shapesMax && oldest !== undefined) this.#made.delete(oldest);
    const made = this.make(shape);
    this.#made.set(name, made);
    return made;
  }
}
