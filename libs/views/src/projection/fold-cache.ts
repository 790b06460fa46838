import type { StoredFold } from '../store/index.js';

/** Folds that are kept, and about how many characters of JSON they make together. */
const foldsMax = 4_096;
const charactersMax = 8 * 1_048_576;

interface Kept {
  readonly stored: StoredFold;
  readonly characters: number;
}

/**
 * The folds of the tasks that were moved on last, so that a busy task is not read again for every event. Two
 * generations: when the younger has half of what is allowed it becomes the older, and that one is dropped whole.
 * (Taking the oldest entry out of one map looks past ever more deleted ones.)
 */
export class FoldCache {
  #young = new Map<string, Kept>();
  #old = new Map<string, Kept>();
  /** Of the younger generation. */
  #characters = 0;

  get(taskId: string): StoredFold | undefined {
    return (this.#young.get(taskId) ?? this.#old.get(taskId))?.stored;
  }

  /** Keeps a fold as the newest one. `characters`: length of its JSON. */
  set(taskId: string, stored: StoredFold, characters: number): void {
    this.delete(taskId);
    if (this.#young.size >= foldsMax / 2 || this.#characters >= charactersMax / 2) this.#age();
    this.#young.set(taskId, { stored, characters });
    this.#characters += characters;
  }

  delete(taskId: string): void {
    this.#characters -= this.#young.get(taskId)?.characters ?? 0;
    this.#young.delete(taskId);
    this.#old.delete(taskId);
  }

  clear(): void {
    this.#age();
    this.#age();
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#characters = 0;
  }
}
