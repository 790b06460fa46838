interface Closable {
  close(): Promise<void>;
}

/** What was opened, each on the parts before it: closed in the reverse order, all of it, whatever one of them says. */
export class Opened {
  readonly #parts: Closable[] = [];

  add<Part extends Closable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  /** @throws what the first close that failed threw, once all are closed */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop())
      await part.close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
