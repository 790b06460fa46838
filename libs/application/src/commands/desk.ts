import type { Caller, Task } from '#domain';
import type { Fold } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import { identify, type CommandIdentity, type CommandScope, type Operation } from '../identity/commands.js';
import type { Clock, Ids } from '../ports/clock.js';
import type { Positions } from '../positions.js';
import { taskNotFound } from '../access/rights.js';
import type { Written } from './inputs.js';
import type { TaskWriter, WriteOutcome } from './task-writer.js';

export interface DeskParts {
  readonly writer: TaskWriter;
  readonly loader: TaskLoader;
  readonly positions: Positions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logId: string;
}

/** What every command needs before it is decided and after it is done. */
export class Desk {
  constructor(private readonly parts: DeskParts) {}

  get writer(): TaskWriter {
    return this.parts.writer;
  }

  get ids(): Ids {
    return this.parts.ids;
  }

  get logId(): string {
    return this.parts.logId;
  }

  /** The ledger's clock, as events hold it. */
  now(): string {
    return new Date(this.parts.clock.now()).toISOString();
  }

  scope(caller: Caller, operation: Operation, taskId: string | null): CommandScope {
    return { logId: this.parts.logId, caller, operation, taskId };
  }

  identify(scope: CommandScope, key: string | undefined, input: object): CommandIdentity {
    return identify(scope, key, input, this.parts.ids);
  }

  fold(taskId: string): Promise<Fold | undefined> {
    return this.parts.loader.current(taskId);
  }

  async current(taskId: string): Promise<Task | undefined> {
    return (await this.fold(taskId))?.task;
  }

  /** The answer of the first attempt, for a repetition under a key; else the task as this command left it. */
  async answer(outcome: WriteOutcome, laterPosition?: string): Promise<Written> {
    const { known, fold } = outcome;
    const task = known === undefined ? fold.task : await this.#asOf(fold, known.revision);
    return { task, ...this.position(laterPosition ?? outcome.position), repeated: known !== undefined };
  }

  position(position: string | undefined): { readonly position?: string } {
    return position === undefined ? {} : { position: this.parts.positions.toEdge(position) };
  }

  async #asOf({ task, tail }: Fold, revision: number): Promise<Task> {
    if (task.revision === revision) return task;
    const kept = tail.find(({ event }) => event.revision === revision);
    if (kept !== undefined) return kept.task;
    const replayed = await this.parts.loader.replay(task.taskId, (recorded) => recorded.revision <= revision);
    if (replayed.task === undefined) throw taskNotFound(task.taskId);
    return replayed.task;
  }
}
