import type { RowBatch } from '../rows.js';
import { closeSubtree, moveSubtree, rootOfTask, setRoot } from '../statements/writes.js';
import type { Queryable } from './connections.js';
import type { Tables } from './tables.js';

type Adopted = RowBatch['adopted'][number];

/** Gives tasks that came under a parent the root of that parent, and so everything below them. */
export class RootWriter {
  constructor(private readonly tables: Tables) {}

  /**
   * A task that this batch brought has nothing below it but what comes after it here: all of these are given their
   * roots at once. Where a child came before its parent after all, or the task is older, everything below is walked.
   */
  async write(on: Queryable, batch: RowBatch): Promise<void> {
    const born = new Set(batch.inserted.map(({ taskId }) => taskId));
    const parents = new Set<string>();
    let leaves: Adopted[] = [];
    for (const adopted of batch.adopted) {
      if (born.has(adopted.taskId) && !parents.has(adopted.taskId)) leaves.push(adopted);
      else {
        await this.#moveLeaves(on, leaves, batch.position);
        leaves = [];
        await this.#moveBelow(on, adopted, batch);
      }
      parents.add(adopted.parentId);
    }
    await this.#moveLeaves(on, leaves, batch.position);
  }

  /** In their order, for one may be the parent of another one after it. */
  async #moveLeaves(on: Queryable, leaves: readonly Adopted[], position: string): Promise<void> {
    if (leaves.length === 0) return;
    const parents = [...new Set(leaves.map(({ parentId }) => parentId))];
    const found = await this.tables.getEach(
      on,
      rootOfTask,
      parents.map((taskId) => ({ taskId })),
    );
    const roots = new Map(parents.map((taskId, index) => [taskId, found[index]?.root ?? taskId]));
    const moves = leaves.map(({ taskId, parentId }) => {
      const rootId = roots.get(parentId) ?? parentId;
      roots.set(taskId, rootId);
      return { taskId, rootId, position };
    });
    await this.tables.changeEach(on, setRoot, moves);
  }

  async #moveBelow(on: Queryable, adopted: Adopted, { seen, position, closedAt }: RowBatch): Promise<void> {
    const adoption = { ...adopted, seen, position, closedAt };
    await this.tables.change(on, closeSubtree, adoption);
    await this.tables.change(on, moveSubtree, adoption);
  }
}
