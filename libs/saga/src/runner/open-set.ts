import type { OpenTrigger } from '#application';
import type { Position } from '#event-store';

/** Triggers that are open now, and how they differ from those that the state holds. */
export class OpenSet {
  readonly #open = new Map<Position, OpenTrigger>();
  readonly #saved: Set<Position>;
  #isChanged = false;

  /** @param saved positions that the state holds; those that are not added again are removed from it */
  constructor(saved: Iterable<Position>) {
    this.#saved = new Set(saved);
  }

  get size(): number {
    return this.#open.size;
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  add(trigger: OpenTrigger): void {
    this.#open.set(trigger.position, trigger);
    this.#isChanged = true;
  }

  remove(position: Position): void {
    this.#open.delete(position);
    this.#isChanged = true;
  }

  /** What the state must still learn; `saved` once it has. What was opened and closed in between it never hears of. */
  changes(): {
    readonly opened: readonly OpenTrigger[];
    readonly closed: readonly Position[];
    readonly saved: () => void;
    readonly failed: () => void;
  } {
    this.#isChanged = false;
    const opened = [...this.#open.values()].filter(({ position }) => !this.#saved.has(position));
    const closed = [...this.#saved].filter((position) => !this.#open.has(position));
    return {
      opened,
      closed,
      saved: () => {
        for (const { position } of opened) this.#saved.add(position);
        for (const position of closed) this.#saved.delete(position);
      },
      failed: () => {
        this.#isChanged = true;
      },
    };
  }
}
