import type { DueTimer } from '#application';
import type { ListedCancellation } from '../../reading.js';
import { KeptShapes } from '../kept-shapes.js';
import { cancellationPageOf, listedOf, rootOf, timerOf } from '../raw-cancellations.js';
import * as statements from '../statements/cancellation-lists.js';
import type { Statement } from '../statements/queries.js';
import type { CancellationQuery, CancellationRoot, Page, ViewMark } from '../view-database.js';
import type { Queryable } from './connections.js';
import type { Tables } from './tables.js';

interface ListStatements {
  readonly page: Statement<statements.RawCancellation>;
  readonly total: Statement<{ total: number }>;
}

/** Reads cancellations and timers. */
export class CancellationRowsReader {
  readonly #shapes = new KeptShapes<statements.CancellationParameters, ListStatements>((shape) => ({
    page: statements.cancellationPage(shape),
    total: statements.cancellationTotal(shape),
  }));

  constructor(private readonly tables: Tables) {}

  /** One page of a view that stands at this mark, inside a transaction that sees one moment. */
  async page(on: Queryable, query: CancellationQuery, mark: ViewMark): Promise<Page<ListedCancellation>> {
    const { scope, filter, size, after } = query;
    const selected = statements.cancellationParameters(scope, filter, after);
    const list = this.#shapes.of(selected);
    const found = await this.tables.all(on, list.page, { ...selected, limit: size + 1 });
    const total = after === undefined ? await this.tables.get(on, list.total, selected) : undefined;
    return {
      ...cancellationPageOf(found, query, mark),
      ...(after === undefined && { total: total?.total ?? 0 }),
    };
  }

  async cancellation(on: Queryable, cancellationId: string): Promise<ListedCancellation | undefined> {
    const raw = await this.tables.get(on, statements.cancellationById, { cancellationId });
    return raw && listedOf(raw);
  }

  async root(on: Queryable, cancellationId: string): Promise<CancellationRoot | undefined> {
    return rootOf(await this.tables.get(on, statements.cancellationById, { cancellationId }));
  }

  async due(on: Queryable, until: number, limit: number): Promise<readonly DueTimer[]> {
    return (await this.tables.all(on, statements.timersDue, { until, limit })).map(timerOf);
  }

  async timersOf(on: Queryable, taskId: string): Promise<readonly DueTimer[]> {
    return (await this.tables.all(on, statements.timersOfTask, { taskId })).map(timerOf);
  }
}
