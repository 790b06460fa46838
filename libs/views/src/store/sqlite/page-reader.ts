import type Database from 'better-sqlite3';
import type { Page, PagedTask, PageQuery } from '../view-database.js';
import { ContextTotals } from './context-totals.js';
import type { ContentParameters } from './content-columns.js';
import { type ListParameters, type ListShape, parametersOf } from './list-conditions.js';
import * as statements from './list-statements.js';
import { type Rows, rows } from './queries.js';
import { openChildrenOfTask } from './read-statements.js';
import { contentParameters, now, type TaskRowsReader } from './task-rows-reader.js';
import type { CounterKind } from './tables.js';

interface Selected extends ListParameters, ContentParameters {
  readonly limit: number;
}
interface SelectedAfter extends Selected {
  readonly asOf: string;
  readonly keyAt: string;
  readonly keyId: string;
}

/** The statements of lists with the same filters, whatever the values. */
interface ListStatements {
  readonly first: Rows<Selected, statements.ListedVersion>;
  readonly later: Rows<SelectedAfter, statements.ListedVersion>;
  readonly closed: Rows<SelectedAfter, statements.ListedVersion>;
  readonly total: Rows<ListParameters, { total: number }>;
}

/** Combinations of filters whose statements are kept prepared. */
const preparedShapesMax = 64;

export class PageReader {
  readonly #prepared = new Map<string, ListStatements>();
  readonly #counted;
  readonly #countedOfOwner;
  readonly #openChildren;
  readonly #contexts: ContextTotals;

  constructor(
    private readonly database: Database.Database,
    private readonly tasks: TaskRowsReader,
  ) {
    interface Counted {
      kind: CounterKind;
      tenant: string;
      contextId: string;
    }
    this.#counted = rows<Counted, { total: number | null }>(database, statements.counted);
    this.#countedOfOwner = rows<Counted & { owner: string }, { total: number | null }>(
      database,
      statements.countedOfOwner,
    );
    this.#contexts = new ContextTotals(database);
    this.#openChildren = rows<{ taskId: string; running: string; parked: string }, { open: number }>(
      database,
      openChildrenOfTask,
    );
  }

  /** One page of a view that stands at `position`. */
  page(query: PageQuery, view: { position: string; purged: string }): Page<PagedTask> {
    const position = query.after?.asOf ?? view.position;
    if (query.after !== undefined && query.after.asOf < view.purged)
      return { items: [], position, tooOld: true };
    const selected = parametersOf(query.scope, query.filter);
    const versions = this.#versions(query, selected);
    const shown = versions.slice(0, query.size);
    const last = shown.at(-1);
    return {
      items: shown.map((version) => this.#item(version, query)),
      ...(versions.length > query.size &&
        last !== undefined && { next: { at: last.statusAt, id: last.taskId } }),
      ...(query.after === undefined && { total: this.#total(selected) }),
      position,
      tooOld: false,
    };
  }

  /** One more than the page holds, so that the last page is known. */
  #versions(query: PageQuery, selected: ListParameters): readonly statements.ListedVersion[] {
    const { size, after, document } = query;
    const prepared = this.#statementsFor(selected);
    const limit = size + 1;
    const content = document === 'result' ? nothing : contentParameters(document, after?.asOf ?? now);
    if (after === undefined) return prepared.first.all({ ...selected, ...content, limit });
    const { asOf, key } = after;
    const later = { ...selected, ...content, limit, asOf, keyAt: key.at, keyId: key.id };
    const closed = prepared.closed.all(later);
    const standing = prepared.later.all(later);
    if (closed.length === 0) return standing;
    return [...standing, ...closed].sort(newestFirst).slice(0, limit);
  }

  #item(version: statements.ListedVersion, { document }: PageQuery): PagedTask {
    const rootTaskId = version.rootId ?? version.taskId;
    if (document !== 'result')
      return { ...this.tasks.documentOf(version, document.messages), rootTaskId, openChildren: 0 };
    return {
      ...this.tasks.resultOf(version),
      rootTaskId,
      openChildren: this.#openChildrenOf(version.taskId),
    };
  }

  #openChildrenOf(taskId: string): number {
    return this.#openChildren.get({ taskId, running: 'running', parked: 'parked' })?.open ?? 0;
  }

  /** Whole scopes and contexts are counted as tasks come; only other filters count rows. */
  #total(selected: ListParameters): number {
    const { tenant, owner, context_id: contextId } = selected;
    const members = Object.keys(selected).length - (owner === undefined ? 1 : 2);
    if (contextId !== undefined && members === 1) return this.#contexts.of({ tenant, contextId }, owner);
    if (members === 0)
      return this.#countOf({ kind: owner === undefined ? 'tenant' : 'owner', tenant, contextId: '' }, owner);
    return this.#statementsFor(selected).total.get(selected)?.total ?? 0;
  }

  #countOf(counted: { kind: CounterKind; tenant: string; contextId: string }, owner?: string): number {
    const line =
      owner === undefined ? this.#counted.get(counted) : this.#countedOfOwner.get({ ...counted, owner });
    return line?.total ?? 0;
  }

  #statementsFor(selected: ListParameters): ListStatements {
    const shape = Object.keys(selected) as unknown as ListShape;
    const name = shape.join();
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size >= preparedShapesMax && oldest !== undefined) this.#prepared.delete(oldest);
    const prepared = prepare(this.database, shape);
    this.#prepared.set(name, prepared);
    return prepared;
  }
}

const nothing: ContentParameters = { messages: 0, artifacts: 0, asOf: now };

const prepare = (database: Database.Database, shape: ListShape): ListStatements => ({
  first: rows(database, statements.firstPage(shape)),
  later: rows(database, statements.laterPage(shape)),
  closed: rows(database, statements.laterPageClosed(shape)),
  total: rows(database, statements.total(shape)),
});

const newestFirst = (one: statements.ListedVersion, other: statements.ListedVersion): number => {
  if (one.statusAt !== other.statusAt) return one.statusAt < other.statusAt ? 1 : -1;
  return one.taskId < other.taskId ? -1 : 1;
};
