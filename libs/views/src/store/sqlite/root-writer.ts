import type Database from 'better-sqlite3';
import type { RowBatch } from '../rows.js';
import { change } from './queries.js';
import * as statements from '../statements/writes.js';

/** Gives tasks that came under a parent the root of that parent, and so everything below them. */
export class RootWriter {
  readonly #moveTask;
  readonly #closeSubtree;
  readonly #moveSubtree;

  constructor(database: Database.Database) {
    this.#moveTask = change<statements.Move>(database, statements.moveTask);
    this.#closeSubtree = change<statements.Adoption>(database, statements.closeSubtree);
    this.#moveSubtree = change<statements.Adoption>(database, statements.moveSubtree);
  }

  /**
   * A task that this batch brought has nothing below it but what comes after it here; walking down from each would
   * make a deep chain quadratic. Where a child came before its parent after all, it is walked.
   */
  write({ inserted, adopted, seen, position, closedAt }: RowBatch): void {
    const born = new Set(inserted.map(({ taskId }) => taskId));
    const parents = new Set<string>();
    for (const { taskId, parentId } of adopted) {
      if (born.has(taskId) && !parents.has(taskId)) this.#moveTask({ taskId, parentId, position });
      else this.#moveBelow({ taskId, parentId, seen, position, closedAt });
      parents.add(parentId);
    }
  }

  #moveBelow(adoption: statements.Adoption): void {
    this.#closeSubtree(adoption);
    this.#moveSubtree(adoption);
  }
}
