import type { Caller, Task } from '#domain';
import type { Position } from '#event-store';
import type { Fold } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import { identify, type CommandIdentity, type CommandScope, type Operation } from '../identity/commands.js';
import type { Clock, Ids } from '../ports/clock.js';
import type { Positions } from '../positions.js';
import { taskNotFound } from '../access/rights.js';
import type { Written } from './inputs.js';
import type { WriteOutcome } from './task-write.js';
import type { TaskWriter } from './task-writer.js';

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

  /** The task as the log has it now, for an answer that is not decided on its own stream. */
  async newest(taskId: string): Promise<Task | undefined> {
    return (await this.parts.loader.newest(taskId))?.task;
  }

  /** A position as callers see it, where there is one. */
  edge(position: Position | undefined): Pick<Written, 'position'> {
    return position === undefined ? {} : { position: this.parts.positions.toEdge(position) };
  }

  /** The answer of the first attempt, for a repetition under a key; else the task as this command left it. */
  async answer(outcome: WriteOutcome, laterPosition?: string): Promise<Written> {
    return { task: await this.taskOf(outcome), ...(await this.place(outcome, laterPosition)) };
  }

  /** The task as the command left it, or as its first attempt did. */
  async taskOf({ known, fold }: WriteOutcome): Promise<Task> {
    if (known === undefined) return fold.task;
    const { taskId } = fold.task;
    const task = await this.parts.loader.asOf(taskId, known.revision, fold);
    if (task === undefined) throw taskNotFound(taskId);
    return task;
  }

  /**
   * How far the log has come with a command: a repetition says the position of the first attempt, for whoever lost
   * its answer waits for that (C41).
   */
  async place(
    { known, fold, position }: WriteOutcome,
    laterPosition?: string,
  ): Promise<Pick<Written, 'position' | 'repeated'>> {
    const done = laterPosition ?? position;
    const first =
      known && done === undefined
        ? await this.parts.loader.positionOf(fold.task.taskId, known.revision)
        : undefined;
    return { repeated: known !== undefined, ...this.edge(done ?? first) };
  }
}
