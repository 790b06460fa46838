import type Database from 'better-sqlite3';
import type { DueTimer } from '#application';
import type { ChildFact, Task } from '#domain';
import type { ListedCancellation, SetAsideEvent } from '../../reading.js';
import { childOf, type RawChild } from '../raw-tasks.js';
import type { RowBatch } from '../rows.js';
import type {
  Announcement,
  CancellationQuery,
  CancellationRoot,
  ChildNode,
  DocumentOptions,
  Page,
  PagedTask,
  PageQuery,
  StoredFold,
  StoredTask,
  TaskColumns,
  ViewDatabase,
  ViewMark,
} from '../view-database.js';
import { BatchWriter } from './batch-writer.js';
import { CancellationRowsReader } from './cancellation-rows-reader.js';
import { Maintenance } from './maintenance.js';
import { viewName } from '../statements/maintenance.js';
import { PageReader } from './page-reader.js';
import { rows } from './queries.js';
import * as statements from '../statements/reads.js';
import { schemaVersion } from '../schema/view-schema.js';
import { TaskRowsReader } from './task-rows-reader.js';

/** A view in one SQLite file (or in memory), on the caller's thread: every call is done when it returns. */
export class SqliteViewDatabase implements ViewDatabase {
  readonly #writer: BatchWriter;
  readonly #tasks: TaskRowsReader;
  readonly #pages: PageReader;
  readonly #cancellations: CancellationRowsReader;
  readonly #maintenance: Maintenance;
  readonly #statements;
  /** Read with every page and every batch, so it is kept: this process is the only writer. */
  #mark: ViewMark;

  constructor(private readonly database: Database.Database) {
    this.#writer = new BatchWriter(database);
    this.#tasks = new TaskRowsReader(database);
    this.#pages = new PageReader(database, this.#tasks);
    this.#cancellations = new CancellationRowsReader(database);
    this.#maintenance = new Maintenance(database);
    this.#statements = prepare(database);
    this.#mark = this.#readMark();
  }

  get generation(): string {
    return this.#mark.generation;
  }

  mark(): Promise<ViewMark> {
    return Promise.resolve(this.#mark);
  }

  write(batch: RowBatch): Promise<boolean> {
    return soon(() => {
      const written = this.#writer.write(batch, this.#mark.building);
      this.#mark = written
        ? {
            ...this.#mark,
            position: batch.position,
            eventId: batch.eventId,
            handled: this.#mark.handled + batch.handled,
          }
        : this.#readMark();
      return written;
    });
  }

  nextTaskKey(): Promise<number> {
    return soon(() => (this.#statements.newestTaskKey.get({})?.newest ?? 0) + 1);
  }

  loadFolds(taskIds: readonly string[]): Promise<readonly StoredFold[]> {
    return soon(() =>
      taskIds.map((taskId) => this.#tasks.fold(taskId)).filter((stored) => stored !== undefined),
    );
  }

  announced(
    announcements: readonly Announcement[],
  ): Promise<readonly (Announcement & { readonly fact: ChildFact })[]> {
    return soon(() =>
      announcements.flatMap((announcement) => {
        const fact = this.#tasks.child(announcement);
        return fact === undefined ? [] : [{ ...announcement, fact }];
      }),
    );
  }

  loadTask(taskId: string): Promise<Task | undefined> {
    return soon(() => this.#tasks.task(taskId));
  }

  loadDocument(taskId: string, options: DocumentOptions): Promise<StoredTask | undefined> {
    return soon(() => this.#tasks.document(taskId, options));
  }

  columnsOf(taskId: string): Promise<TaskColumns | undefined> {
    return soon(() => this.#statements.columns.get({ taskId }));
  }

  page(query: PageQuery): Promise<Page<PagedTask>> {
    return soon(() => this.#pages.page(query, this.#mark));
  }

  cancellations(query: CancellationQuery): Promise<Page<ListedCancellation>> {
    return soon(() => this.#cancellations.page(query, this.#mark));
  }

  cancellation(cancellationId: string): Promise<ListedCancellation | undefined> {
    return soon(() => this.#cancellations.cancellation(cancellationId));
  }

  children(parentId: string, limit: number): Promise<readonly ChildNode[]> {
    return soon(() => this.#statements.children.all({ parentId, limit }).map(childOf));
  }

  rootOfCancellation(cancellationId: string): Promise<CancellationRoot | undefined> {
    return soon(() => this.#cancellations.root(cancellationId));
  }

  dueTimers(until: number, limit: number): Promise<readonly DueTimer[]> {
    return soon(() => this.#cancellations.due(until, limit));
  }

  timersOf(taskId: string): Promise<readonly DueTimer[]> {
    return soon(() => this.#cancellations.timersOf(taskId));
  }

  setAside(limit: number): Promise<readonly SetAsideEvent[]> {
    return soon(() => this.#statements.setAside.all({ limit }));
  }

  counts(): Promise<{ readonly tasks: number; readonly setAside: number; readonly distrusted: number }> {
    return soon(() => this.#statements.counts.get({}) ?? { tasks: 0, setAside: 0, distrusted: 0 });
  }

  distrust(taskId: string, detail: string): Promise<void> {
    return soon(() => {
      this.#maintenance.distrust(taskId, detail);
    });
  }

  taskIdsAfter(taskKey: number, limit: number): Promise<readonly { taskKey: number; taskId: string }[]> {
    return soon(() => this.#statements.tasksAfter.all({ taskKey, limit }));
  }

  purge(closedBefore: number, limit: number): Promise<number> {
    return soon(() => {
      const purged = this.#maintenance.purge(closedBefore, limit);
      if (purged > 0) this.#mark = this.#readMark();
      return purged;
    });
  }

  completion(): readonly (() => Promise<void>)[] {
    return this.#maintenance.completion().map(
      (step) => () =>
        soon(() => {
          step();
          this.#mark = this.#readMark();
        }),
    );
  }

  /** From here on the file alone holds everything, so that it can be renamed. */
  keepInOneFile(): void {
    if (this.database.pragma('journal_mode = DELETE', { simple: true }) !== 'delete')
      throw new Error('a view cannot be brought into one file');
  }

  /** As views are kept otherwise. */
  keepLogBeside(): void {
    this.database.pragma('journal_mode = WAL');
  }

  close(): Promise<void> {
    return soon(() => {
      this.database.close();
    });
  }

  #readMark(): ViewMark {
    const raw = this.#statements.mark.get({ name: viewName, schemaVersion });
    if (raw === undefined) throw new Error('these view tables are of another version');
    return { ...raw, building: raw.building === 1 };
  }
}

/** The answer of a call that is done at once, as a promise; what it throws is a rejection. */
const soon = <Value>(call: () => Value): Promise<Value> => {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
};

const prepare = (database: Database.Database) => ({
  mark: rows<{ name: string; schemaVersion: number }, statements.RawMark>(database, statements.mark),
  newestTaskKey: rows<object, { newest: number | null }>(database, statements.newestTaskKey),
  columns: rows<{ taskId: string }, TaskColumns>(database, statements.columnsById),
  children: rows<{ parentId: string; limit: number }, RawChild>(database, statements.childrenOfTask),
  setAside: rows<{ limit: number }, SetAsideEvent>(database, statements.setAsideEvents),
  counts: rows<object, { tasks: number; setAside: number; distrusted: number }>(database, statements.counts),
  tasksAfter: rows<{ taskKey: number; limit: number }, { taskKey: number; taskId: string }>(
    database,
    statements.tasksAfter,
  ),
});
