import { type Caller, DomainError, invalid, resultAmong, rowOf } from '#domain';
import type { Positions } from '#application';
import type { ServingRun, ServingView } from '../keeping/serving-view.js';
import type {
  CancellationListRequest,
  ListedCancellation,
  ListedRow,
  ListedTask,
  ListPage,
  ListRequest,
} from '../reading.js';
import type { Page, PagedTask, PageQuery, PageStart, Scope, ViewDatabase } from '../store/index.js';
import type { Freshness } from './freshness.js';
import { normalized, normalizedCancellations, scopeOf } from './list-filter.js';
import { decodeToken, encodeToken, listHash, type PageToken } from './page-token.js';

const pageSizeMax = 100;

export interface ListParts {
  readonly serving: ServingView;
  readonly freshness: Freshness;
  readonly positions: Positions;
  readonly logId: string;
}

/** One list: what it is called in its tokens, its filter in one form, and how a page of it is read. */
interface List<Item> {
  readonly name: 'tasks' | 'cancellations';
  readonly filter: object;
  read(view: ViewDatabase, query: ListQuery): Promise<Page<Item>>;
}

interface ListQuery {
  readonly scope: Scope;
  readonly size: number;
  readonly after?: PageStart;
}

/** Lists page by page: page one fixes a position, the later ones show the same moment. */
export class Lists {
  constructor(private readonly parts: ListParts) {}

  tasks(
    caller: Caller,
    request: ListRequest & { readonly messages: number; readonly artifacts: boolean },
  ): Promise<ListPage<ListedTask>> {
    const { messages, artifacts } = request;
    return this.#tasks(caller, request, { messages, artifacts }, ({ task, document }) => ({
      task,
      document,
    }));
  }

  rows(caller: Caller, request: ListRequest): Promise<ListPage<ListedRow>> {
    return this.#tasks(caller, request, 'result', listedRow);
  }

  async cancellations(
    caller: Caller,
    request: CancellationListRequest,
  ): Promise<ListPage<ListedCancellation>> {
    const filter = normalizedCancellations(request.filter);
    const list: List<ListedCancellation> = {
      name: 'cancellations',
      filter,
      read: (view, query) => view.cancellations({ ...query, filter }),
    };
    return this.#page(caller, request, list);
  }

  async #tasks<Item>(
    caller: Caller,
    request: ListRequest,
    document: PageQuery['document'],
    itemOf: (paged: PagedTask) => Item,
  ): Promise<ListPage<Item>> {
    const filter = normalized(request.filter);
    const page = await this.#page<PagedTask>(caller, request, {
      name: 'tasks',
      filter,
      read: (view, query) => view.page({ ...query, filter, document }),
    });
    return { ...page, items: page.items.map(itemOf) };
  }

  async #page<Item>(
    caller: Caller,
    request: Omit<ListRequest, 'filter'>,
    list: List<Item>,
  ): Promise<ListPage<Item>> {
    const { pageSize: size, pageToken } = request;
    if (!Number.isInteger(size) || size < 1 || size > pageSizeMax)
      throw invalid('pageSize', `must be from 1 to ${String(pageSizeMax)}`);
    const scope = scopeOf(caller);
    const hash = listHash(list.name, scope, list.filter);
    const token = this.#token(pageToken, hash);
    const awaited = await this.parts.freshness.awaited(request.waitFor, token?.asOf);
    const { run } = this.parts.serving;
    if (token !== undefined) this.#mustBeKnown(token);
    const after = token && { ...token, generation: token.run };
    const page = await this.#read(list, { scope, size, ...(after && { after }) });
    const total = token?.total ?? page.total ?? 0;
    return {
      items: page.items,
      nextPageToken: this.#nextToken(page, { run: token?.run ?? runOf(page, run), total, hash }),
      totalSize: total,
      position: this.parts.positions.toEdge(page.position === '' ? noPosition : page.position),
      // Other tables may have taken the place of those that were waited for, and stand before them for a moment.
      stale: awaited.stale || (token === undefined && page.position < awaited.position),
    };
  }

  #token(pageToken: string | undefined, hash: string): PageToken | undefined {
    if (pageToken === undefined || pageToken === '') return undefined;
    return decodeToken(pageToken, { logId: this.parts.logId, hash });
  }

  /** What the run before this one had seen beyond this one's beginning may lie in the middle of a batch now. */
  #mustBeKnown({ run, asOf }: PageToken): void {
    const { run: now } = this.parts.serving;
    if (run !== now.id && now.from !== undefined && asOf > now.from)
      throw invalid('pageToken', 'is of a view that was replaced: begin the list anew');
  }

  async #read<Item>(list: List<Item>, query: ListQuery): Promise<Page<Item>> {
    const { serving } = this.parts;
    const view = serving.complete;
    if (query.after !== undefined && query.after.asOf > serving.position)
      throw new DomainError('unavailable', 'the view has not reached the position of this list');
    const page = await list.read(view, query);
    if (page.tooOld) throw invalid('pageToken', 'is too old: begin the list anew');
    return page;
  }

  #nextToken(
    { next, position: asOf }: Page<unknown>,
    { run, total, hash }: { readonly run: string; readonly total: number; readonly hash: string },
  ): string {
    if (next === undefined) return '';
    return encodeToken({ logId: this.parts.logId, asOf, run, key: next, total }, hash);
  }
}

/** Shared tables tell which run of them answered: it may have begun a moment ago. */
const runOf = ({ generation }: Page<unknown>, run: ServingRun): string =>
  run.from === undefined ? generation : run.id;

/** Before the first event. */
export const noPosition = '0'.repeat(20);

const listedRow = ({ task, document, rootTaskId, openChildren }: PagedTask): ListedRow => ({
  ...rowOf(task, resultAmong(task.taskId, document.artifacts)),
  openChildren,
  rootTaskId,
});
