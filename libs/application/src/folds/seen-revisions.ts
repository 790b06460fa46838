/** Tasks whose newest revision is remembered, at least; at most twice as many. */
export const seenTasksMax = 16_384;

/**
 * The newest revision of each task that this process has appended, read or seen in the log, for the tasks it met last.
 * Whatever is read later and ends below it comes from a server that has fallen behind, and is asked for again.
 */
export class SeenRevisions {
  // Two halves instead of an order: when the young one is full, it becomes the old one, and the oldest are forgotten.
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  constructor(private readonly tasksMax = seenTasksMax) {}

  /** -1: nothing is known of this task. */
  of(taskId: string): number {
    return this.#young.get(taskId) ?? this.#old.get(taskId) ?? -1;
  }

  /** Another log stands where this one stood. */
  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  see(taskId: string, revision: number): void {
    if (revision <= this.of(taskId)) return;
    if (this.#young.size >= this.tasksMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(taskId, revision);
  }
}
