import type Database from 'better-sqlite3';
import type { DueTimer } from '#application';
import type { CancelMode, RequestedBy } from '#domain';
import type { ListedCancellation } from '../../reading.js';
import type { CancellationQuery, CancellationRoot, Page } from '../view-database.js';
import * as statements from './cancellation-list.js';
import { type Rows, rows } from './queries.js';

interface RawTimer {
  readonly taskId: string;
  readonly kind: string;
  readonly dueAt: number;
  readonly cancellationId: string | null;
}

interface ListStatements {
  readonly page: Rows<statements.CancellationParameters & { limit: number }, statements.RawCancellation>;
  readonly total: Rows<statements.CancellationParameters, { total: number }>;
}

/** Reads cancellations and timers. */
export class CancellationRowsReader {
  readonly #byId;
  readonly #due;
  readonly #ofTask;
  /** By which filters there are: a few dozen combinations. */
  readonly #prepared = new Map<string, ListStatements>();

  constructor(private readonly database: Database.Database) {
    this.#byId = rows<{ cancellationId: string }, statements.RawCancellation>(
      database,
      statements.cancellationById,
    );
    this.#due = rows<{ until: number; limit: number }, RawTimer>(database, statements.timersDue);
    this.#ofTask = rows<{ taskId: string }, RawTimer>(database, statements.timersOfTask);
  }

  /** One page of a view that stands at `position`. */
  page({ scope, filter, size, after }: CancellationQuery, position: string): Page<ListedCancellation> {
    const selected = statements.cancellationParameters(scope, filter, after);
    const prepared = this.#statementsFor(selected);
    const found = prepared.page.all({ ...selected, limit: size + 1 });
    const shown = found.slice(0, size);
    const last = shown.at(-1);
    return {
      items: shown.map(listed),
      ...(found.length > size &&
        last !== undefined && { next: { at: last.requestedAt, id: last.cancellationId } }),
      ...(after === undefined && { total: prepared.total.get(selected)?.total ?? 0 }),
      position: after?.asOf ?? position,
      tooOld: false,
    };
  }

  cancellation(cancellationId: string): ListedCancellation | undefined {
    const raw = this.#byId.get({ cancellationId });
    return raw && listed(raw);
  }

  root(cancellationId: string): CancellationRoot | undefined {
    const { rootTaskId, rootRevision } = this.#byId.get({ cancellationId }) ?? {};
    if (rootTaskId === undefined || rootRevision === undefined || rootRevision === null) return undefined;
    return { rootTaskId, rootRevision };
  }

  due(until: number, limit: number): readonly DueTimer[] {
    return this.#due.all({ until, limit }).map(timerOf);
  }

  timersOf(taskId: string): readonly DueTimer[] {
    return this.#ofTask.all({ taskId }).map(timerOf);
  }

  #statementsFor(selected: statements.CancellationParameters): ListStatements {
    const shape = Object.keys(selected) as unknown as statements.CancellationShape;
    const name = shape.join();
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const prepared: ListStatements = {
      page: rows(this.database, statements.cancellationPage(shape)),
      total: rows(this.database, statements.cancellationTotal(shape)),
    };
    this.#prepared.set(name, prepared);
    return prepared;
  }
}

const requestedByOf = ({ principal, role, via, requestId }: statements.RawCancellation): RequestedBy => ({
  principal,
  role: role as RequestedBy['role'],
  via,
  ...(requestId !== null && { requestId }),
});

const listed = (raw: statements.RawCancellation): ListedCancellation => ({
  cancellationId: raw.cancellationId,
  rootTaskId: raw.rootTaskId,
  requestedAt: raw.requestedAt,
  requestedBy: requestedByOf(raw),
  mode: raw.mode as CancelMode,
  ...(raw.reason !== null && { reason: raw.reason }),
  status: raw.status,
  ...(raw.settledAt !== null && { settledAt: raw.settledAt }),
  ...(raw.confirmedAt !== null && { confirmedAt: raw.confirmedAt }),
  descendantsOnly: raw.descendantsOnly === 1,
  parentEnded: raw.parentEnded === 1,
});

const timerOf = ({ taskId, kind, dueAt, cancellationId }: RawTimer): DueTimer => ({
  taskId,
  dueAt: new Date(dueAt).toISOString(),
  kind: kind as DueTimer['kind'],
  ...(cancellationId !== null && { cancellationId }),
});
