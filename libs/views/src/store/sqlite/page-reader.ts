import type Database from 'better-sqlite3';
import { KeptShapes } from '../kept-shapes.js';
import {
  cutToPage,
  merged,
  type Selected,
  type SelectedAfter,
  selectedAfter,
  selectedFirst,
  totalSourceOf,
} from '../listed-versions.js';
import type { CounterKind } from '../schema/view-tables.js';
import { type ListParameters, type ListShape, parametersOf } from '../statements/list-conditions.js';
import * as statements from '../statements/lists.js';
import { openChildrenOfTask } from '../statements/reads.js';
import type { Page, PagedTask, PageQuery } from '../view-database.js';
import { ContextTotals } from './context-totals.js';
import { type Rows, rows } from './queries.js';
import type { TaskRowsReader } from './task-rows-reader.js';

/** The statements of lists with the same filters, whatever the values. */
interface ListStatements {
  readonly first: Rows<Selected, statements.ListedVersion>;
  readonly later: Rows<SelectedAfter, statements.ListedVersion>;
  readonly closed: Rows<SelectedAfter, statements.ListedVersion>;
  readonly total: Rows<ListParameters, { total: number }>;
}

export class PageReader {
  readonly #prepared: KeptShapes<ListParameters, ListStatements>;
  readonly #counted;
  readonly #countedOfOwner;
  readonly #openChildren;
  readonly #contexts: ContextTotals;

  constructor(
    database: Database.Database,
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
    this.#prepared = new KeptShapes((shape) => prepare(database, shape));
    this.#contexts = new ContextTotals(database);
    this.#openChildren = rows<{ taskId: string; running: string; parked: string }, { open: number }>(
      database,
      openChildrenOfTask,
    );
  }

  /** One page of a view that stands at `position`. */
  page(
    query: PageQuery,
    view: { readonly position: string; readonly purged: string; readonly generation: string },
  ): Page<PagedTask> {
    const { generation } = view;
    const position = query.after?.asOf ?? view.position;
    if (query.after !== undefined && query.after.asOf < view.purged)
      return { items: [], position, generation, tooOld: true };
    const selected = parametersOf(query.scope, query.filter);
    const { shown, next } = cutToPage(this.#versions(query, selected), query.size);
    return {
      items: shown.map((version) => this.#item(version, query)),
      ...(next && { next }),
      ...(query.after === undefined && { total: this.#total(selected) }),
      position,
      generation,
      tooOld: false,
    };
  }

  #versions(query: PageQuery, selected: ListParameters): readonly statements.ListedVersion[] {
    const prepared = this.#prepared.of(selected);
    if (query.after === undefined) return prepared.first.all(selectedFirst(query, selected));
    const later = selectedAfter(query, selected, query.after);
    return merged(prepared.later.all(later), prepared.closed.all(later), later.limit);
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

  #total(selected: ListParameters): number {
    const { tenant, owner } = selected;
    const source = totalSourceOf(selected);
    switch (source.kind) {
      case 'context':
        return this.#contexts.of({ tenant, contextId: source.contextId }, owner);
      case 'scope':
        return this.#countOf(
          { kind: owner === undefined ? 'tenant' : 'owner', tenant, contextId: '' },
          owner,
        );
      case 'rows':
        return this.#prepared.of(selected).total.get(selected)?.total ?? 0;
    }
  }

  #countOf(counted: { kind: CounterKind; tenant: string; contextId: string }, owner?: string): number {
    const line =
      owner === undefined ? this.#counted.get(counted) : this.#countedOfOwner.get({ ...counted, owner });
    return line?.total ?? 0;
  }
}

const prepare = (database: Database.Database, shape: ListShape): ListStatements => ({
  first: rows(database, statements.firstPage(shape)),
  later: rows(database, statements.laterPage(shape)),
  closed: rows(database, statements.laterPageClosed(shape)),
  total: rows(database, statements.total(shape)),
});
