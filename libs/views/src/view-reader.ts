import { type Caller, invalid } from '#domain';
import type { Positions } from '#application';
import { type EventStore, StoreUnavailableError } from '#event-store';
import type { ServingView } from './keeping/serving-view.js';
import type { Keeping } from './keeping/keeping.js';
import type { Freshness } from './lists/freshness.js';
import { type Lists, noPosition } from './lists/lists.js';
import type {
  CancellationListRequest,
  ListedCancellation,
  ListedRow,
  ListedTask,
  ListPage,
  ListRequest,
  SetAsideEvent,
  TreeNode,
  ViewReader,
  ViewStatus,
} from './reading.js';
import { treeOf } from './tree.js';
import type { Verification, Verifier } from './verification/verifier.js';

/** Lists, trees, snapshots, links and roots stand in one view: they move on together, or not at all. */
export const viewName = 'tasks';

/** Set-aside events that one answer names; all of them are counted. */
const setAsideMax = 1_000;
/** Events that `lag` counts; one more page is not worth the reading. */
const lagMax = 4_096;

export interface ReaderParts {
  readonly serving: ServingView;
  readonly keeping: Keeping;
  readonly lists: Lists;
  readonly freshness: Freshness;
  readonly verifier: Verifier;
  readonly positions: Positions;
  readonly store: EventStore;
  readonly namespace: string;
}

export class Reader implements ViewReader {
  constructor(private readonly parts: ReaderParts) {}

  listTasks(
    caller: Caller,
    request: ListRequest & { readonly messages: number; readonly artifacts: boolean },
  ): Promise<ListPage<ListedTask>> {
    return this.parts.lists.tasks(caller, request);
  }

  listRows(caller: Caller, request: ListRequest): Promise<ListPage<ListedRow>> {
    return this.parts.lists.rows(caller, request);
  }

  listCancellations(caller: Caller, request: CancellationListRequest): Promise<ListPage<ListedCancellation>> {
    return this.parts.lists.cancellations(caller, request);
  }

  async tree(
    caller: Caller,
    taskId: string,
    options: { depth: number; limit: number; waitFor?: string },
  ): Promise<{ readonly tree: TreeNode; readonly position: string; readonly stale: boolean }> {
    const { freshness, serving } = this.parts;
    const awaited = await freshness.awaited(options.waitFor);
    const view = serving.complete;
    // Read first, and in the tables themselves: what is shown is no older.
    const { position } = await view.mark();
    const stale = awaited.stale || position < awaited.position;
    return { tree: await treeOf(view, caller, taskId, options), position: this.#edge(position), stale };
  }

  async rootOfCancellation(
    cancellationId: string,
  ): Promise<{ rootTaskId: string; rootRevision: number } | undefined> {
    const { freshness, serving } = this.parts;
    await freshness.awaited(undefined);
    return serving.complete.rootOfCancellation(cancellationId);
  }

  async status(): Promise<readonly ViewStatus[]> {
    const { serving, keeping } = this.parts;
    const counts = await serving.database?.counts();
    const filling = await keeping.filling();
    const status: ViewStatus = {
      name: viewName,
      position: this.#edge(serving.position),
      lag: await this.#lag(),
      setAside: counts?.setAside ?? 0,
      distrusted: counts?.distrusted ?? 0,
      ...(filling && {
        rebuild: {
          handled: filling.handled,
          position: this.#edge(filling.position),
          startedAt: filling.startedAt,
        },
      }),
    };
    return [status];
  }

  async setAside(): Promise<readonly SetAsideEvent[]> {
    const events = (await this.parts.serving.database?.setAside(setAsideMax)) ?? [];
    return events.map((event) => ({ ...event, position: this.#edge(event.position) }));
  }

  async rebuild(name: string): Promise<ViewStatus> {
    this.#mustExist(name);
    await this.parts.keeping.rebuild();
    const [status] = await this.status();
    if (status === undefined) throw new Error('a view without a status');
    return status;
  }

  verify(name: string): Promise<Verification> {
    this.#mustExist(name);
    return this.parts.verifier.verify();
  }

  #mustExist(name: string): void {
    if (name !== viewName) throw invalid('name', `no view is called so; there is ${viewName}`);
  }

  /**
   * Counted in the log, for positions are not dense; at most {@link lagMax}. While the log cannot be asked, 1 stands
   * for whatever this process has heard of and the view has not reached.
   */
  async #lag(): Promise<number> {
    const { serving, store, namespace } = this.parts;
    const { position } = serving;
    const from = position === '' ? {} : { from: position };
    try {
      const ahead = await store.readAll({ limit: lagMax, prefix: `${namespace}.`, ...from });
      return ahead.filter((event) => event.position > position).length;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return serving.newestKnown > position ? 1 : 0;
    }
  }

  #edge(position: string): string {
    return this.parts.positions.toEdge(position === '' ? noPosition : position);
  }
}
