import { DomainError, type Task } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { TaskChange } from '../application.js';
import { changeOf } from '../folds/change.js';
import type { HotFolds } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';

/** Changes that are handed out at once; a slow consumer holds no more. */
export const changesMax = 100;

export interface ChangesParts {
  readonly hot: HotFolds;
  readonly loader: TaskLoader;
  readonly reader: StreamReader;
  readonly names: StreamNames;
}

/** What happened to one task after a revision: from its hot fold where that holds it, else from the log. */
export class TaskChanges {
  #task: Task | undefined;
  #more = false;

  constructor(
    private readonly parts: ChangesParts,
    private readonly taskId: string,
    private revision: number,
  ) {}

  /** The task as of the last change handed out, where it is known. */
  get task(): Task | undefined {
    return this.#task;
  }

  /** Whether the log is known to hold more than was handed out: it is asked again without waiting for news. */
  get more(): boolean {
    return this.#more;
  }

  /**
   * The next changes, at most {@link changesMax}; none when there are none now.
   * @param seen the newest revision that is known to exist: a fold below it is not asked
   * @throws DomainError `task-unreadable` where an event cannot be read
   */
  async next(seen: number): Promise<readonly TaskChange[]> {
    this.#more = false;
    const changes = this.#fromFold(seen) ?? (await this.#fromLog());
    const last = changes.at(-1);
    if (last !== undefined) {
      this.revision = last.event.revision;
      this.#task = last.task;
    }
    return changes;
  }

  #fromFold(seen: number): readonly TaskChange[] | undefined {
    const fold = this.parts.hot.get(this.taskId);
    const first = fold?.tail[0];
    if (fold === undefined || first === undefined || fold.task.revision < Math.max(seen, this.revision)) {
      return undefined;
    }
    if (fold.task.revision === this.revision) {
      this.#task = fold.task;
      return [];
    }
    if (first.event.revision > this.revision + 1) return undefined;
    const start = this.revision + 1 - first.event.revision;
    return fold.tail.slice(start, start + changesMax);
  }

  async #fromLog(): Promise<readonly TaskChange[]> {
    this.#task ??= await this.#before();
    const page = await this.parts.reader.page(
      this.parts.names.task(this.taskId),
      this.revision + 1,
      changesMax,
    );
    const changes: TaskChange[] = [];
    for (const recorded of page) {
      const before = changes.at(-1)?.task ?? this.#task;
      const change = changeOf(before, recorded, this.parts.names);
      if (change !== undefined) changes.push(change);
      else if (changes.length === 0) throw unreadable(this.taskId, recorded);
      // What can be read is handed out first.
      else break;
    }
    this.#more = page.length === changesMax || changes.length < page.length;
    return changes;
  }

  /** The task as of the revision that the watch begins after. */
  async #before(): Promise<Task | undefined> {
    if (this.revision < 0) return undefined;
    const { loader } = this.parts;
    return loader.asOf(this.taskId, this.revision, await loader.current(this.taskId));
  }
}

const unreadable = (taskId: string, { revision, type }: RecordedEvent): DomainError =>
  new DomainError('task-unreadable', `event ${String(revision)} of task ${taskId} cannot be read`, {
    taskId,
    revision,
    type,
  });
