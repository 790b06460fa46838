import type Database from 'better-sqlite3';
import { countedOf, grownContexts } from '../growth.js';
import type { RowBatch, TaskRow } from '../rows.js';
import { CancellationWriter } from './cancellation-writer.js';
import { ContentWriter } from './content-writer.js';
import { ContextTotals } from './context-totals.js';
import { change } from './queries.js';
import { RootWriter } from './root-writer.js';
import * as statements from '../statements/writes.js';

/** Writes what a run of events changes. One transaction holds rows and position, or nothing. */
export class BatchWriter {
  readonly #content: ContentWriter;
  readonly #cancellations: CancellationWriter;
  readonly #advance;
  readonly #insertTask;
  readonly #closeVersion;
  readonly #replaceTask;
  readonly #refreshTask;
  readonly #count;
  readonly #contexts: ContextTotals;
  readonly #roots: RootWriter;
  readonly #write: (batch: RowBatch, building: boolean) => boolean;

  constructor(database: Database.Database) {
    this.#content = new ContentWriter(database);
    this.#cancellations = new CancellationWriter(database);
    this.#advance = change<statements.Advance>(database, statements.advance);
    this.#insertTask = change<TaskRow>(database, statements.insertTask);
    this.#closeVersion = change<statements.Closing>(database, statements.closeVersion);
    this.#replaceTask = change<TaskRow>(database, statements.replaceTask);
    this.#refreshTask = change<TaskRow>(database, statements.refreshTask);
    this.#count = change<statements.Counted>(database, statements.count);
    this.#contexts = new ContextTotals(database);
    this.#roots = new RootWriter(database);
    this.#write = database.transaction((batch: RowBatch, building: boolean) =>
      this.#writeAll(batch, building),
    );
  }

  /** False, and nothing written, when the view does not stand at `batch.seen`. */
  write(batch: RowBatch, building: boolean): boolean {
    return this.#write(batch, building);
  }

  #writeAll(batch: RowBatch, building: boolean): boolean {
    const { seen, position, eventId, handled } = batch;
    if (this.#advance({ seen, position, eventId, handled }) !== 1) return false;
    for (const row of batch.inserted) this.#insertTask(row);
    this.#updateTasks(batch, building);
    this.#content.write(batch);
    this.#cancellations.write(batch);
    // While a view is being filled, totals and roots are left to its completion, which has all tasks at hand.
    if (!building) this.#keepTotalsAndRoots(batch);
    return true;
  }

  #updateTasks(batch: RowBatch, building: boolean): void {
    const { position: validTo, closedAt } = batch;
    for (const { row, reordered } of batch.updated) {
      if (!building) this.#closeVersion({ taskKey: row.taskKey, validTo, closedAt });
      if (reordered) this.#replaceTask(row);
      else this.#refreshTask(row);
    }
  }

  #keepTotalsAndRoots(batch: RowBatch): void {
    for (const counted of countedOf(batch.inserted)) this.#count(counted);
    this.#contexts.add(grownContexts(batch.inserted));
    this.#roots.write(batch);
  }
}
