import type { DueTimer } from '#application';
import type { ChildFact, Task, TaskDocument } from '#domain';
import type { Position } from '#event-store';
import type { CancellationFilter, ListedCancellation, ListFilter, SetAsideEvent } from '../reading.js';
import type { RowBatch } from './rows.js';

/** Where a view stands, and which log and code it was built from. */
export interface ViewMark {
  /** Of the last event handled; the empty text before the first one. */
  readonly position: Position;
  /** Id of the event there. */
  readonly eventId: string;
  readonly logId: string;
  readonly foldVersion: number;
  /** Lists as of a position below this one can no longer be answered. */
  readonly purged: Position;
  /** Still being filled: no closed versions, no indexes, no totals yet. */
  readonly building: boolean;
  /** When filling began, ISO 8601. */
  readonly startedAt: string;
  /** Events handled so far. */
  readonly handled: number;
  /** Of these tables: new with every filling, and kept when what was filled begins to serve. */
  readonly generation: string;
}

/** A fold that goes on where the view stands, with the newest of its commands and without its children. */
export interface StoredFold {
  readonly taskKey: number;
  readonly task: Task;
  /** The document without messages and artifacts. */
  readonly heading: TaskDocument;
}

/** A child on its parent's stream. */
export interface Announcement {
  /** The parent. */
  readonly taskId: string;
  readonly childId: string;
}

export interface DocumentOptions {
  /** Most message entries; the message of the status event comes on top of them. */
  readonly messages: number;
  readonly artifacts: boolean;
}

export interface StoredTask {
  readonly task: Task;
  readonly document: TaskDocument;
}

/** The tasks that a caller may see. */
export interface Scope {
  readonly tenant: string;
  readonly owner?: string;
}

/** Of the last item of a page: its instant in the order of the list, and its id. */
export interface PageKey {
  readonly at: string;
  readonly id: string;
}

/** A later page: as of the position that page one fixed, after the last item of the page before. */
export interface PageStart {
  readonly asOf: Position;
  readonly key: PageKey;
  /** Of the tables that answered page one, where it says what they can still answer: shared tables alone. */
  readonly generation?: string;
}

export interface PageQuery {
  readonly scope: Scope;
  readonly filter: ListFilter;
  readonly size: number;
  readonly after?: PageStart;
  readonly document: DocumentOptions | 'result';
}

export interface PagedTask extends StoredTask {
  readonly rootTaskId: string;
  readonly openChildren: number;
}

export interface CancellationQuery {
  readonly scope: Scope;
  readonly filter: CancellationFilter;
  readonly size: number;
  readonly after?: PageStart;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Key to go on after; absent on the last page. */
  readonly next?: PageKey;
  /** Only on page one. */
  readonly total?: number;
  readonly position: Position;
  /** Of the tables that this page was read from. */
  readonly generation: string;
  /** The position asked for is too old to be answered, or is one of a generation whose batches these tables do not have. */
  readonly tooOld: boolean;
}

/** A node as the tree shows it. */
export interface ChildNode {
  readonly taskId: string;
  readonly policy: string;
  readonly onEnd: string;
  readonly late: boolean;
  /** Absent when the view has not seen the child itself. */
  readonly task?: Task;
}

/** The root's own event of a cancellation. */
export interface CancellationRoot {
  readonly rootTaskId: string;
  readonly rootRevision: number;
}

/** What a task's own row says, for comparison with its stream. */
export interface TaskColumns {
  readonly taskKey: number;
  readonly state: string;
  readonly status: string;
  readonly statusAt: string;
  readonly updatedAt: string;
  readonly tenant: string;
  readonly owner: string;
  readonly contextId: string;
}

/**
 * One set of view tables. Every call sees one moment. Promises at the seam, so that a database on the other side of
 * a socket fits as well as one in the process.
 */
export interface ViewDatabase {
  /** Of the tables that were opened; {@link mark} tells of those that stand in their place by now. */
  readonly generation: string;
  mark(): Promise<ViewMark>;
  /** False, and nothing written, when the view does not stand at `batch.seen`: somebody else moved it on. */
  write(batch: RowBatch): Promise<boolean>;
  /** One more than the highest task key. */
  nextTaskKey(): Promise<number>;
  loadFolds(taskIds: readonly string[]): Promise<readonly StoredFold[]>;
  /** Those of the announcements that the view has already, with what they said. */
  announced(
    announcements: readonly Announcement[],
  ): Promise<readonly (Announcement & { readonly fact: ChildFact })[]>;

  /** The fold with everything that decisions need. */
  loadTask(taskId: string): Promise<Task | undefined>;
  /** For showing: of `commands` the newest only, and no `children`. */
  loadDocument(taskId: string, options: DocumentOptions): Promise<StoredTask | undefined>;
  columnsOf(taskId: string): Promise<TaskColumns | undefined>;

  page(query: PageQuery): Promise<Page<PagedTask>>;
  cancellations(query: CancellationQuery): Promise<Page<ListedCancellation>>;
  cancellation(cancellationId: string): Promise<ListedCancellation | undefined>;
  /** The children of a task in the order in which they were linked. */
  children(parentId: string, limit: number): Promise<readonly ChildNode[]>;
  rootOfCancellation(cancellationId: string): Promise<CancellationRoot | undefined>;
  /** Due at or before this moment (milliseconds), the oldest first. */
  dueTimers(until: number, limit: number): Promise<readonly DueTimer[]>;
  timersOf(taskId: string): Promise<readonly DueTimer[]>;

  setAside(limit: number): Promise<readonly SetAsideEvent[]>;
  counts(): Promise<{ readonly tasks: number; readonly setAside: number; readonly distrusted: number }>;
  distrust(taskId: string, detail: string): Promise<void>;
  /** Task ids after one of them, in order of their keys. */
  taskIdsAfter(taskKey: number, limit: number): Promise<readonly { taskKey: number; taskId: string }[]>;

  /** Drops versions that closed at or before this moment (milliseconds); at most `limit` of them. Answers how many. */
  purge(closedBefore: number, limit: number): Promise<number>;
  /** Ends the filling step by step; each step is one transaction. */
  completion(): readonly (() => Promise<void>)[];
  close(): Promise<void>;
}

/** What instances tell one another of view tables that all of them read. */
export interface SharedTables {
  /**
   * Tells of every write, swap and asking of any instance, and when what was told may have been missed. Best effort:
   * whoever must know looks by himself now and then. Answers how to hear no more of it.
   */
  onChange(changed: () => void): () => void;
  /** For whoever leads. */
  askForRebuild(): Promise<void>;
  /** True once an asking. */
  takeRebuildRequest(): Promise<boolean>;
}

/** The place where view tables are kept: the ones that serve, and the ones being filled beside them. */
export interface ViewStorage {
  /** Absent where this process is the only one. */
  readonly shared?: SharedTables;
  /** The tables that serve, when there are any that this version can read. */
  openLive(): Promise<ViewDatabase | undefined>;
  /** The tables being filled, as an interrupted filling left them. */
  openNext(): Promise<ViewDatabase | undefined>;
  createNext(mark: { logId: string; foldVersion: number; startedAt: string }): Promise<ViewDatabase>;
  /**
   * Puts `next` in the place of `live`, closes both, and hands what serves from now on to `serve`. When it fails
   * before that, both are open and stand where they stood.
   */
  swap(
    live: ViewDatabase | undefined,
    next: ViewDatabase,
    serve: (database: ViewDatabase) => void,
  ): Promise<void>;
}
