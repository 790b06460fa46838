import { countedOf, grownContexts } from '../growth.js';
import type { RowBatch } from '../rows.js';
import {
  addToLine,
  beginLines,
  type ContextGrowth,
  countedSmall,
  smallContextMax,
} from '../statements/context-totals.js';
import * as statements from '../statements/writes.js';
import { CancellationWriter } from './cancellation-writer.js';
import type { Queryable } from './connections.js';
import { ContentWriter } from './content-writer.js';
import { RootWriter } from './root-writer.js';
import type { Tables } from './tables.js';

/** Writes what a run of events changes, in few statements of many rows each. Inside one transaction. */
export class BatchWriter {
  readonly #content: ContentWriter;
  readonly #cancellations: CancellationWriter;
  readonly #roots: RootWriter;

  constructor(private readonly tables: Tables) {
    this.#content = new ContentWriter(tables);
    this.#cancellations = new CancellationWriter(tables);
    this.#roots = new RootWriter(tables);
  }

  /** False, and nothing written, when these are not the tables of that generation, or do not stand at `batch.seen`. */
  async write(on: Queryable, batch: RowBatch, generation: string): Promise<boolean> {
    const { seen, position, eventId, handled } = batch;
    const advance = { seen, position, eventId, handled, generation };
    const mark = await this.tables.get(on, statements.advanceGeneration, advance);
    if (mark === undefined) return false;
    const isBuilding = mark.building === 1;
    await this.tables.changeEach(on, statements.insertTask, batch.inserted);
    await this.#updateTasks(on, batch, isBuilding);
    await this.#content.write(on, batch);
    await this.#cancellations.write(on, batch);
    // While a view is being filled, totals and roots are left to its completion, which has all tasks at hand.
    if (!isBuilding) await this.#keepTotalsAndRoots(on, batch);
    return true;
  }

  async #updateTasks(on: Queryable, batch: RowBatch, isBuilding: boolean): Promise<void> {
    const { position: validTo, closedAt, updated } = batch;
    const closed = updated.map(({ row: { taskKey } }) => ({ taskKey, validTo, closedAt }));
    if (!isBuilding) await this.tables.changeEach(on, statements.closeVersion, closed);
    const rowsOf = (isReordered: boolean) =>
      updated.filter(({ reordered }) => reordered === isReordered).map(({ row }) => row);
    await this.tables.changeEach(on, statements.replaceTask, rowsOf(true));
    await this.tables.changeEach(on, statements.refreshTask, rowsOf(false));
  }

  async #keepTotalsAndRoots(on: Queryable, batch: RowBatch): Promise<void> {
    await this.tables.changeEach(on, statements.count, countedOf(batch.inserted));
    await this.#growContexts(on, grownContexts(batch.inserted));
    await this.#roots.write(on, batch);
  }

  /** New tasks are in the table already: lines that begin count them, lines that are there get what came. */
  async #growContexts(on: Queryable, grown: readonly ContextGrowth[]): Promise<void> {
    if ((await this.tables.changeEach(on, addToLine, grown)) === grown.length) return;
    const contexts = new Map(
      grown.map(({ tenant, contextId }) => [JSON.stringify([tenant, contextId]), { tenant, contextId }]),
    );
    const some = [...contexts.values()];
    const sizes = await this.tables.getEach(on, countedSmall, some);
    const large = some.filter((_, index) => (sizes[index]?.total ?? 0) > smallContextMax);
    await this.tables.changeEach(on, beginLines, large);
  }
}
