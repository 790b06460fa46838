import { DomainError, evolve, type Task } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { TaskChange } from '../application.js';
import { decodeRecorded } from '../codec/decode.js';
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

  constructor(
    private readonly parts: ChangesParts,
    private readonly taskId: string,
    private revision: number,
  ) {}

  /** The task as of the last change handed out, where it is known. */
  get task(): Task | undefined {
    return this.#task;
  }

  /**
   * The next changes, at most {@link changesMax}; none when there are none now.
   * @param seen the newest revision that is known to exist: a fold below it is not asked
   * @throws DomainError `task-unreadable` where an event cannot be read
   */
  async next(seen: number): Promise<readonly TaskChange[]> {
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
      const change = this.#change(before, recorded);
      if (change !== undefined) changes.push(change);
      // What can be read is handed out first.
      else if (changes.length > 0) return changes;
      else throw unreadable(this.taskId, recorded);
    }
    return changes;
  }

  #change(before: Task | undefined, recorded: RecordedEvent): TaskChange | undefined {
    const decoded = decodeRecorded(recorded, this.parts.names);
    if (decoded.kind !== 'task') return undefined;
    const task = evolve(before, decoded.event);
    return task.unreadable === undefined ? { event: decoded.event, task } : undefined;
  }

  /** The task as of the revision that the watch begins after. */
  async #before(): Promise<Task | undefined> {
    if (this.revision < 0) return undefined;
    const fold = await this.parts.loader.current(this.taskId);
    if (fold?.task.revision === this.revision) return fold.task;
    const kept = fold?.tail.find(({ event }) => event.revision === this.revision);
    if (kept !== undefined) return kept.task;
    return (await this.parts.loader.replay(this.taskId, ({ revision }) => revision <= this.revision)).task;
  }
}

const unreadable = (taskId: string, { revision, type }: RecordedEvent): DomainError =>
  new DomainError('task-unreadable', `event ${String(revision)} of task ${taskId} cannot be read`, {
    taskId,
    revision,
    type,
  });
