import type Database from 'better-sqlite3';
import type { DueTimer } from '#application';
import type { ListedCancellation } from '../../reading.js';
import { KeptShapes } from '../kept-shapes.js';
import { cancellationPageOf, listedOf, type RawTimer, rootOf, timerOf } from '../raw-cancellations.js';
import * as statements from '../statements/cancellation-lists.js';
import type { CancellationQuery, CancellationRoot, Page } from '../view-database.js';
import { type Rows, rows } from './queries.js';

interface ListStatements {
  readonly page: Rows<statements.CancellationParameters & { limit: number }, statements.RawCancellation>;
  readonly total: Rows<statements.CancellationParameters, { total: number }>;
}

/** Reads cancellations and timers. */
export class CancellationRowsReader {
  readonly #byId;
  readonly #due;
  readonly #ofTask;
  readonly #prepared: KeptShapes<statements.CancellationParameters, ListStatements>;

  constructor(database: Database.Database) {
    this.#prepared = new KeptShapes((shape) => ({
      page: rows(database, statements.cancellationPage(shape)),
      total: rows(database, statements.cancellationTotal(shape)),
    }));
    this.#byId = rows<{ cancellationId: string }, statements.RawCancellation>(
      database,
      statements.cancellationById,
    );
    this.#due = rows<{ until: number; limit: number }, RawTimer>(database, statements.timersDue);
    this.#ofTask = rows<{ taskId: string }, RawTimer>(database, statements.timersOfTask);
  }

  /** One page of a view that stands at `position`. */
  page(
    query: CancellationQuery,
    view: { readonly position: string; readonly generation: string },
  ): Page<ListedCancellation> {
    const { scope, filter, size, after } = query;
    const selected = statements.cancellationParameters(scope, filter, after);
    const prepared = this.#prepared.of(selected);
    return {
      ...cancellationPageOf(prepared.page.all({ ...selected, limit: size + 1 }), query, view),
      ...(after === undefined && { total: prepared.total.get(selected)?.total ?? 0 }),
    };
  }

  cancellation(cancellationId: string): ListedCancellation | undefined {
    const raw = this.#byId.get({ cancellationId });
    return raw && listedOf(raw);
  }

  root(cancellationId: string): CancellationRoot | undefined {
    return rootOf(this.#byId.get({ cancellationId }));
  }

  due(until: number, limit: number): readonly DueTimer[] {
    return this.#due.all({ until, limit }).map(timerOf);
  }

  timersOf(taskId: string): readonly DueTimer[] {
    return this.#ofTask.all({ taskId }).map(timerOf);
  }
}
