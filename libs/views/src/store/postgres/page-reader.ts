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
import {
  type Context,
  countedSmall,
  countedSmallOfOwner,
  smallContextMax,
} from '../statements/context-totals.js';
import { type ListParameters, parametersOf } from '../statements/list-conditions.js';
import * as statements from '../statements/lists.js';
import type { Statement } from '../statements/queries.js';
import { openChildrenOfTask } from '../statements/reads.js';
import type { Page, PagedTask, PageQuery, ViewMark } from '../view-database.js';
import type { Queryable } from './connections.js';
import type { Tables } from './tables.js';
import type { TaskRowsReader } from './task-rows-reader.js';

/** The statements of lists with the same filters, whatever the values. */
interface ListStatements {
  readonly first: Statement<statements.ListedVersion>;
  readonly later: Statement<statements.ListedVersion>;
  readonly closed: Statement<statements.ListedVersion>;
  readonly total: Statement<{ total: number }>;
}

/** Reads pages, inside a transaction that sees one moment. */
export class PageReader {
  readonly #shapes = new KeptShapes<ListParameters, ListStatements>((shape) => ({
    first: statements.firstPage(shape),
    later: statements.laterPage(shape),
    closed: statements.laterPageClosed(shape),
    total: statements.total(shape),
  }));

  constructor(
    private readonly tables: Tables,
    private readonly tasks: TaskRowsReader,
  ) {}

  /** One page of a view that stands at this mark. */
  async page(on: Queryable, query: PageQuery, mark: ViewMark): Promise<Page<PagedTask>> {
    const { generation } = mark;
    const position = query.after?.asOf ?? mark.position;
    if (isTooOld(query, mark)) return { items: [], position, generation, tooOld: true };
    const selected = parametersOf(query.scope, query.filter);
    const { shown, next } = cutToPage(await this.#versions(on, query, selected), query.size);
    return {
      items: await this.#items(on, shown, query),
      ...(next && { next }),
      ...(query.after === undefined && { total: await this.#total(on, selected) }),
      position,
      generation,
      tooOld: false,
    };
  }

  async #versions(
    on: Queryable,
    query: PageQuery,
    selected: ListParameters,
  ): Promise<readonly statements.ListedVersion[]> {
    const list = this.#shapes.of(selected);
    if (query.after === undefined) {
      const first: Selected = selectedFirst(query, selected);
      return this.tables.all(on, list.first, first);
    }
    const later: SelectedAfter = selectedAfter(query, selected, query.after);
    const standing = await this.tables.all(on, list.later, later);
    return merged(standing, await this.tables.all(on, list.closed, later), later.limit);
  }

  async #items(
    on: Queryable,
    shown: readonly statements.ListedVersion[],
    { document }: PageQuery,
  ): Promise<readonly PagedTask[]> {
    const stored =
      document === 'result'
        ? await this.tasks.results(on, shown)
        : await this.tasks.documents(on, shown, document.messages);
    const open = document === 'result' ? await this.#openChildrenOf(on, shown) : [];
    return shown.flatMap(({ rootId, taskId }, index) => {
      const task = stored[index];
      return task ? [{ ...task, rootTaskId: rootId ?? taskId, openChildren: open[index] ?? 0 }] : [];
    });
  }

  async #openChildrenOf(
    on: Queryable,
    shown: readonly statements.ListedVersion[],
  ): Promise<readonly number[]> {
    const parameters = shown.map(({ taskId }) => ({ taskId, running: 'running', parked: 'parked' }));
    const counted = await this.tables.getEach(on, openChildrenOfTask, parameters);
    return counted.map((row) => row?.open ?? 0);
  }

  async #total(on: Queryable, selected: ListParameters): Promise<number> {
    const { tenant, owner } = selected;
    const source = totalSourceOf(selected);
    switch (source.kind) {
      case 'context':
        return this.#totalOfContext(on, { tenant, contextId: source.contextId }, owner);
      case 'scope':
        return this.#countOf(
          on,
          { kind: owner === undefined ? 'tenant' : 'owner', tenant, contextId: '' },
          owner,
        );
      case 'rows':
        return (await this.tables.get(on, this.#shapes.of(selected).total, selected))?.total ?? 0;
    }
  }

  /** Most contexts are small, and are counted when somebody asks. */
  async #totalOfContext(on: Queryable, context: Context, owner: string | undefined): Promise<number> {
    const total = (await this.tables.get(on, countedSmall, context))?.total ?? 0;
    if (total > smallContextMax) return this.#countOf(on, { kind: 'context', ...context }, owner);
    if (owner === undefined) return total;
    return (await this.tables.get(on, countedSmallOfOwner, { ...context, owner }))?.total ?? 0;
  }

  async #countOf(
    on: Queryable,
    counted: Context & { readonly kind: string },
    owner: string | undefined,
  ): Promise<number> {
    const line =
      owner === undefined
        ? await this.tables.get(on, statements.counted, counted)
        : await this.tables.get(on, statements.countedOfOwner, { ...counted, owner });
    return line?.total ?? 0;
  }
}

/**
 * What another generation had seen beyond what these tables keep may lie in the middle of a batch of theirs; at
 * `purged` itself every batch ends.
 */
const isTooOld = ({ after }: PageQuery, { purged, generation }: ViewMark): boolean => {
  if (after === undefined) return false;
  const isForeign = after.generation !== undefined && after.generation !== generation;
  return after.asOf < purged || (isForeign && after.asOf > purged);
};
