import { type ChildFact, knownCommandsMax, resultArtifactId, type Task } from '#domain';
import {
  childrenIn,
  commandsIn,
  contentParameters,
  factOf,
  foldOf,
  now,
  placesOf,
  type RawTask,
  type RawVersion,
  shownOf,
  taskIn,
  withResult,
  withStatus,
} from '../raw-tasks.js';
import * as statements from '../statements/reads.js';
import type { Announcement, DocumentOptions, StoredFold, StoredTask } from '../view-database.js';
import type { Queryable } from './connections.js';
import type { Tables } from './tables.js';

/** Puts tasks and their content together again. What needs several statements is called inside a transaction. */
export class TaskRowsReader {
  constructor(private readonly tables: Tables) {}

  async folds(on: Queryable, taskIds: readonly string[]): Promise<readonly StoredFold[]> {
    const found = await this.tables.getEach(
      on,
      statements.taskById,
      taskIds.map((taskId) => ({ taskId })),
    );
    return found.filter((raw) => raw !== undefined).map(foldOf);
  }

  async announced(
    on: Queryable,
    announcements: readonly Announcement[],
  ): Promise<readonly (Announcement & { readonly fact: ChildFact })[]> {
    const links = await this.tables.getEach(on, statements.linkOfTask, announcements);
    return announcements.flatMap((announcement, index) => {
      const link = links[index];
      return link === undefined ? [] : [{ ...announcement, fact: factOf(link) }];
    });
  }

  async task(on: Queryable, taskId: string): Promise<Task | undefined> {
    const raw = await this.tables.get(on, statements.taskById, { taskId });
    if (raw === undefined) return undefined;
    const task = taskIn(raw);
    return {
      ...task,
      ...(task.commands.length > 0 && { commands: await this.#commandsOf(on, task, raw.taskKey) }),
      ...(task.childCount > 0 && {
        children: childrenIn(await this.tables.all(on, statements.linksOfTask, { taskId })),
      }),
    };
  }

  async document(on: Queryable, taskId: string, options: DocumentOptions): Promise<StoredTask | undefined> {
    const parameters = { taskId, ...contentParameters(options, now) };
    const raw = await this.tables.get(on, statements.documentById, parameters);
    return raw && (await this.documents(on, [raw], options.messages))[0];
  }

  /** Versions of tasks with the newest `messages` entries of their content. */
  async documents(
    on: Queryable,
    versions: readonly RawVersion[],
    messages: number,
  ): Promise<readonly StoredTask[]> {
    const shown = versions.map((raw) => shownOf(raw, messages));
    const places = shown.flatMap(({ statusPlace }) => statusPlace ?? []);
    const found = new Map(
      (
        await this.tables.getEach(
          on,
          statements.messageAt,
          places.map((place) => ({ place })),
        )
      ).flatMap((row) => (row === undefined ? [] : [[row.place, row.message] as const])),
    );
    return shown.map(({ statusPlace, ...stored }) =>
      statusPlace === undefined ? stored : withStatus(stored, found.get(statusPlace)),
    );
  }

  /** Versions of tasks with their results and nothing else. */
  async results(on: Queryable, versions: readonly RawTask[]): Promise<readonly StoredTask[]> {
    const tasks = versions.map((raw) => ({ task: taskIn(raw), taskKey: raw.taskKey }));
    const ended = tasks.filter(({ task }) => task.hasResult);
    const found = await this.tables.getEach(
      on,
      statements.resultOfTask,
      ended.map(({ task, taskKey }) => ({
        ...placesOf(task, taskKey),
        artifactId: resultArtifactId(task.taskId),
      })),
    );
    const results = new Map(ended.map(({ task }, index) => [task, found[index]?.artifact]));
    return tasks.map(({ task }) => withResult(task, results.get(task)));
  }

  async #commandsOf(on: Queryable, task: Task, taskKey: number): Promise<Task['commands']> {
    const newest = { ...placesOf(task, taskKey), limit: knownCommandsMax };
    return commandsIn(await this.tables.all(on, statements.commandsOfTask, newest));
  }
}
