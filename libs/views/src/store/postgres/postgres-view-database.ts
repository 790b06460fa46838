import type { DueTimer } from '#application';
import type { ChildFact, Task } from '#domain';
import type { ListedCancellation, SetAsideEvent } from '../../reading.js';
import { ViewsUnavailableError } from '../errors.js';
import { childOf, type RawChild } from '../raw-tasks.js';
import type { RowBatch } from '../rows.js';
import { insertDistrusted } from '../statements/maintenance.js';
import * as statements from '../statements/reads.js';
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
import type { Connections, Queryable } from './connections.js';
import { isAbsent } from './errors.js';
import { Maintenance } from './maintenance.js';
import { PageReader } from './page-reader.js';
import type { Tables } from './tables.js';
import { TaskRowsReader } from './task-rows-reader.js';
import { beginReading, readMark } from './view-schema.js';

export interface PostgresViewParts {
  readonly tables: Tables;
  /** Where these tables are when they begin to serve. */
  readonly serving: Tables;
  readonly reads: Connections;
  readonly writes: Connections;
  /** As they were when they were opened. */
  readonly mark: ViewMark;
  /** What tells the other instances of a change, when the transaction is committed. */
  readonly told: string;
}

/**
 * A set of view tables in one schema, which other processes read, and exchange, at the same time: nothing is kept of
 * where they stand. Writing fails when they are others than those that were opened; reading goes on with what is
 * there, and says of which generation it is.
 */
export class PostgresViewDatabase implements ViewDatabase {
  readonly #writer: BatchWriter;
  readonly #tasks: TaskRowsReader;
  readonly #pages: PageReader;
  readonly #cancellations: CancellationRowsReader;
  readonly #maintenance: Maintenance;

  constructor(readonly parts: PostgresViewParts) {
    const { tables, writes, mark } = parts;
    this.#writer = new BatchWriter(tables);
    this.#tasks = new TaskRowsReader(tables);
    this.#pages = new PageReader(tables, this.#tasks);
    this.#cancellations = new CancellationRowsReader(tables);
    this.#maintenance = new Maintenance(tables, writes, mark.generation);
  }

  get generation(): string {
    return this.parts.mark.generation;
  }

  async mark(): Promise<ViewMark> {
    try {
      return await this.parts.reads.run((on) => this.#markOn(on));
    } catch (error) {
      const served = isAbsent(error) ? await this.#servedMark() : undefined;
      if (served === undefined) throw error;
      return served;
    }
  }

  async write(batch: RowBatch): Promise<boolean> {
    const { writes, mark, told } = this.parts;
    // What is being filled serves nobody: a batch that a crash takes away is read from the log again.
    const begin = mark.building ? 'begin; set local synchronous_commit = off' : 'begin';
    try {
      return await writes.transaction(begin, async (on) => {
        const written = await this.#writer.write(on, batch, this.generation);
        if (written) await on.query(told);
        return written;
      });
    } catch (error) {
      // Another process put its tables in the place of these, under their name or another one.
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  nextTaskKey(): Promise<number> {
    return this.#run(async (on, tables) => {
      const newest = await tables.get(on, statements.newestTaskKey);
      return (newest?.newest ?? 0) + 1;
    });
  }

  loadFolds(taskIds: readonly string[]): Promise<readonly StoredFold[]> {
    return this.#run((on) => this.#tasks.folds(on, taskIds));
  }

  announced(
    announcements: readonly Announcement[],
  ): Promise<readonly (Announcement & { readonly fact: ChildFact })[]> {
    return this.#run((on) => this.#tasks.announced(on, announcements));
  }

  loadTask(taskId: string): Promise<Task | undefined> {
    return this.#inOneMoment((on) => this.#tasks.task(on, taskId));
  }

  loadDocument(taskId: string, options: DocumentOptions): Promise<StoredTask | undefined> {
    return this.#inOneMoment((on) => this.#tasks.document(on, taskId, options));
  }

  columnsOf(taskId: string): Promise<TaskColumns | undefined> {
    return this.#run((on, tables) => tables.get(on, statements.columnsById, { taskId }));
  }

  page(query: PageQuery): Promise<Page<PagedTask>> {
    return this.#inOneMoment(async (on) => this.#pages.page(on, query, await this.#markOn(on)));
  }

  cancellations(query: CancellationQuery): Promise<Page<ListedCancellation>> {
    return this.#inOneMoment(async (on) => this.#cancellations.page(on, query, await this.#markOn(on)));
  }

  cancellation(cancellationId: string): Promise<ListedCancellation | undefined> {
    return this.#run((on) => this.#cancellations.cancellation(on, cancellationId));
  }

  children(parentId: string, limit: number): Promise<readonly ChildNode[]> {
    return this.#run(async (on, tables) => {
      const found: RawChild[] = await tables.all(on, statements.childrenOfTask, { parentId, limit });
      return found.map(childOf);
    });
  }

  rootOfCancellation(cancellationId: string): Promise<CancellationRoot | undefined> {
    return this.#run((on) => this.#cancellations.root(on, cancellationId));
  }

  dueTimers(until: number, limit: number): Promise<readonly DueTimer[]> {
    return this.#run((on) => this.#cancellations.due(on, until, limit));
  }

  timersOf(taskId: string): Promise<readonly DueTimer[]> {
    return this.#run((on) => this.#cancellations.timersOf(on, taskId));
  }

  setAside(limit: number): Promise<readonly SetAsideEvent[]> {
    return this.#run((on, tables) => tables.all(on, statements.setAsideEvents, { limit }));
  }

  counts(): Promise<{ readonly tasks: number; readonly setAside: number; readonly distrusted: number }> {
    const none = { tasks: 0, setAside: 0, distrusted: 0 };
    return this.#run(async (on, tables) => (await tables.get(on, statements.counts)) ?? none);
  }

  async distrust(taskId: string, detail: string): Promise<void> {
    const { writes, tables } = this.parts;
    await writes.run((on) => tables.change(on, insertDistrusted, { taskId, detail }));
  }

  taskIdsAfter(taskKey: number, limit: number): Promise<readonly { taskKey: number; taskId: string }[]> {
    return this.#run((on, tables) => tables.all(on, statements.tasksAfter, { taskKey, limit }));
  }

  purge(closedBefore: number, limit: number): Promise<number> {
    return this.#maintenance.purge(closedBefore, limit);
  }

  completion(): readonly (() => Promise<void>)[] {
    return this.#maintenance.completion();
  }

  /** The connections are the storage's, and reads under way go on. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async #markOn(on: Queryable): Promise<ViewMark> {
    const mark = await readMark(on, this.parts.tables);
    if (mark === undefined)
      throw new ViewsUnavailableError(new Error('these view tables are of another version'));
    return mark;
  }

  /** What was being filled may have begun to serve a moment ago. */
  async #servedMark(): Promise<ViewMark | undefined> {
    const { reads, serving, tables } = this.parts;
    if (serving === tables) return undefined;
    const mark = await reads.run((on) => readMark(on, serving));
    return mark?.generation === this.generation ? mark : undefined;
  }

  #run<Value>(read: (on: Queryable, tables: Tables) => Promise<Value>): Promise<Value> {
    const { reads, tables } = this.parts;
    return reads.run((on) => read(on, tables));
  }

  #inOneMoment<Value>(read: (on: Queryable) => Promise<Value>): Promise<Value> {
    const { reads, tables } = this.parts;
    return reads.transaction(beginReading(tables), read);
  }
}
