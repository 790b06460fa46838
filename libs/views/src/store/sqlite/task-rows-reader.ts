import type Database from 'better-sqlite3';
import { type ChildFact, knownCommandsMax, resultArtifactId, type Task } from '#domain';
import {
  childrenIn,
  commandsIn,
  contentParameters,
  factOf,
  foldOf,
  now,
  type Places,
  placesOf,
  type RawCommand,
  type RawLink,
  type RawTask,
  type RawVersion,
  shownOf,
  taskIn,
  withResult,
  withStatus,
} from '../raw-tasks.js';
import type { ContentParameters } from '../statements/content-columns.js';
import * as statements from '../statements/reads.js';
import type { Announcement, DocumentOptions, StoredFold, StoredTask } from '../view-database.js';
import { rows } from './queries.js';

/** Puts tasks and their content together again. Every read of one call happens in one moment, for nothing awaits. */
export class TaskRowsReader {
  readonly #task;
  readonly #document;
  readonly #messageAt;
  readonly #result;
  readonly #commands;
  readonly #children;
  readonly #child;

  constructor(database: Database.Database) {
    this.#task = rows<{ taskId: string }, RawTask>(database, statements.taskById);
    this.#document = rows<ContentParameters & { taskId: string }, RawVersion>(
      database,
      statements.documentById,
    );
    this.#messageAt = rows<{ place: number }, { message: string }>(database, statements.messageAt);
    this.#result = rows<Places & { artifactId: string }, { artifact: string }>(
      database,
      statements.resultOfTask,
    );
    this.#commands = rows<Places & { limit: number }, RawCommand>(database, statements.commandsOfTask);
    this.#children = rows<{ taskId: string }, RawLink>(database, statements.linksOfTask);
    this.#child = rows<Announcement, RawLink>(database, statements.linkOfTask);
  }

  fold(taskId: string): StoredFold | undefined {
    const raw = this.#task.get({ taskId });
    return raw && foldOf(raw);
  }

  task(taskId: string): Task | undefined {
    const raw = this.#task.get({ taskId });
    if (raw === undefined) return undefined;
    const task = taskIn(raw);
    if (task.commands.length === 0 && task.childCount === 0) return task;
    return { ...task, commands: this.#commandsOf(task, raw.taskKey), children: this.#childrenOf(task) };
  }

  document(taskId: string, options: DocumentOptions): StoredTask | undefined {
    const raw = this.#document.get({ taskId, ...contentParameters(options, now) });
    return raw && this.documentOf(raw, options.messages);
  }

  /** A version of a task with the newest `messages` entries of its content. */
  documentOf(raw: RawVersion, messages: number): StoredTask {
    const { statusPlace, ...shown } = shownOf(raw, messages);
    if (statusPlace === undefined) return shown;
    return withStatus(shown, this.#messageAt.get({ place: statusPlace })?.message);
  }

  /** A version of a task with its result and nothing else. */
  resultOf(raw: RawTask): StoredTask {
    const task = taskIn(raw);
    if (!task.hasResult) return withResult(task, undefined);
    const artifactId = resultArtifactId(task.taskId);
    return withResult(task, this.#result.get({ ...placesOf(task, raw.taskKey), artifactId })?.artifact);
  }

  child(announced: Announcement): ChildFact | undefined {
    const link = this.#child.get(announced);
    return link && factOf(link);
  }

  #commandsOf(task: Task, taskKey: number): Task['commands'] {
    if (task.commands.length === 0) return [];
    return commandsIn(this.#commands.all({ ...placesOf(task, taskKey), limit: knownCommandsMax }));
  }

  #childrenOf({ taskId, childCount }: Task): Task['children'] {
    return childCount === 0 ? [] : childrenIn(this.#children.all({ taskId }));
  }
}
