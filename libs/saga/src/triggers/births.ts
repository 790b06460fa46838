import type { RecordedEvent } from '#event-store';

/** Tasks whose birth is remembered. */
export const birthsMax = 32_768;

const endsWithParent = /"onEnd"\s*:\s*"cascade"/;

/**
 * Tasks that were born while the saga read, and whether a child of theirs is to end with them: of these the end of an
 * ordinary task is seen to mean nothing, and no fold is asked for it. Holds the newest ones.
 */
export class Births {
  readonly #endsChildren = new Map<string, boolean>();

  born(taskId: string): void {
    this.#endsChildren.set(taskId, false);
    if (this.#endsChildren.size <= birthsMax) return;
    const [oldest] = this.#endsChildren.keys();
    if (oldest !== undefined) this.#endsChildren.delete(oldest);
  }

  /** A child was announced on the task's stream. */
  linked(taskId: string, { data }: RecordedEvent): void {
    if (this.#endsChildren.get(taskId) === false && endsWithParent.test(data))
      this.#endsChildren.set(taskId, true);
  }

  /** The task has ended: whether its children may have to end with it. Of a task not remembered, they may. */
  ended(taskId: string): boolean {
    const endsChildren = this.#endsChildren.get(taskId) ?? true;
    this.#endsChildren.delete(taskId);
    return endsChildren;
  }
}
