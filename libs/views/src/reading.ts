import type {
  Caller,
  CancellationLog,
  CancelMode,
  LedgerRow,
  RequestedBy,
  RowStatus,
  StoppedBy,
  Task,
  TaskDocument,
  TaskState,
} from '#domain';

/** Filters of a list; all of them must hold. Instants are ISO 8601. */
export interface ListFilter {
  readonly contextId?: string;
  readonly states?: readonly TaskState[];
  readonly status?: RowStatus;
  readonly stoppedBy?: StoppedBy;
  readonly parentTaskId?: string;
  readonly rootTaskId?: string;
  /** `run:<id>`, `subagent:<handle>` or `turn:<contextId>`. */
  readonly link?: string;
  /** Status time at or after. */
  readonly statusAfter?: string;
  /** Time of the last event at or after. */
  readonly updatedAfter?: string;
}

export interface ListRequest {
  readonly filter: ListFilter;
  /** 1 to 100. */
  readonly pageSize: number;
  readonly pageToken?: string;
  /** Edge position that the list must have reached; waits at most 2 s. */
  readonly waitFor?: string;
}

export interface ListedTask {
  readonly task: Task;
  readonly document: TaskDocument;
}

export interface ListedRow extends LedgerRow {
  readonly openChildren: number;
  readonly rootTaskId: string;
}

/** Newest status first, then by id; pages and totals are as of `position`. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly totalSize: number;
  /** Edge position that page one fixed. */
  readonly position: string;
  /** The wait ran out: newer events exist that this page does not know. */
  readonly stale: boolean;
}

export type CancellationStatus = CancellationLog['status'];

/** Filters of the list of cancellations; all of them must hold. */
export interface CancellationFilter {
  /** The principal that asked. */
  readonly requestedBy?: string;
  readonly status?: CancellationStatus;
  /** Asked for at or after, ISO 8601. */
  readonly since?: string;
  readonly rootTaskId?: string;
}

export interface CancellationListRequest extends Omit<ListRequest, 'filter'> {
  readonly filter: CancellationFilter;
}

/** A cancellation as lists show it; its certificate says the rest. */
export interface ListedCancellation {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly requestedAt: string;
  readonly requestedBy: RequestedBy;
  readonly mode: CancelMode;
  /** The first 1,024 characters of it. */
  readonly reason?: string;
  readonly status: CancellationStatus;
  readonly settledAt?: string;
  readonly confirmedAt?: string;
  readonly descendantsOnly: boolean;
  /** Opened by the ledger because its root ended in another way. */
  readonly parentEnded: boolean;
}

export interface TreeNode {
  readonly taskId: string;
  readonly state: string;
  readonly policy?: string;
  readonly onEnd?: string;
  readonly late?: boolean;
  readonly children: readonly TreeNode[];
  /** Children beyond the limit or the depth are left out: ask for the tree of this node. */
  readonly more?: boolean;
}

export interface ViewStatus {
  readonly name: string;
  readonly position: string;
  /** Events of the log that the view has not handled. */
  readonly lag: number;
  readonly setAside: number;
  readonly rebuild?: { readonly handled: number; readonly position: string; readonly startedAt: string };
  readonly distrusted: number;
}

export interface SetAsideEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly error: string;
}

export interface ViewMismatch {
  readonly taskId: string;
  readonly field: string;
  readonly viewRevision: number;
  readonly streamRevision: number;
}

/** What is read from views: lists, trees, and the views themselves. Scope is the caller's, applied on every call. */
export interface ViewReader {
  listTasks(
    caller: Caller,
    request: ListRequest & { readonly messages: number; readonly artifacts: boolean },
  ): Promise<ListPage<ListedTask>>;
  listRows(caller: Caller, request: ListRequest): Promise<ListPage<ListedRow>>;
  /**
   * The newest first. Every page has the cancellations that page one knew of, each once, and shows them as they are
   * now; a status that changes meanwhile may take one out of a list of that status, or bring it in.
   */
  listCancellations(caller: Caller, request: CancellationListRequest): Promise<ListPage<ListedCancellation>>;
  tree(
    caller: Caller,
    taskId: string,
    options: { depth: number; limit: number; waitFor?: string },
  ): Promise<{ readonly tree: TreeNode; readonly position: string; readonly stale: boolean }>;
  /** The root task of a cancellation, for the moment before `CancellationOpened` is written. */
  rootOfCancellation(
    cancellationId: string,
  ): Promise<{ rootTaskId: string; rootRevision: number } | undefined>;
  status(): Promise<readonly ViewStatus[]>;
  setAside(): Promise<readonly SetAsideEvent[]>;
  /** Begins a rebuild beside the live view; answers at once. One at a time. */
  rebuild(name: string): Promise<ViewStatus>;
  /** Folds every stream again and compares; at most `limit` mismatches. */
  verify(name: string): Promise<{ readonly checked: number; readonly mismatches: readonly ViewMismatch[] }>;
}
