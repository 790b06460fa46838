import type { StoredFold } from '../store/index.js';

/** Folds that are kept, and about how many characters of JSON they make together. */
const foldsMax = 4_096;
const charactersMax = 8 * 1_048_576;

interface Kept {
  readonly stored: StoredFold;
  readonly characters: number;
}

/** The folds of the tasks that were moved on last, so that a busy task is not read again for every event. */
export class FoldCache {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  get(taskId: string): StoredFold | undefined {
    return this.#kept.get(taskId)?.stored;
  }

  /** Keeps a fold as the newest one. `characters`: length of its JSON. */
  set(taskId: string, stored: StoredFold, characters: number): void {
    this.delete(taskId);
    this.#kept.set(taskId, { stored, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= foldsMax && this.#characters <= charactersMax) break;
      this.delete(oldest);
    }
  }

  delete(taskId: string): void {
    const known = this.#kept.get(taskId);
    if (known === undefined) return;
    this.#kept.delete(taskId);
    this.#characters -= known.characters;
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}
