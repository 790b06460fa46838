import type Database from 'better-sqlite3';
import {
  type Artifact,
  type ChildFact,
  childrenOf,
  emptyDocument,
  type KnownCommand,
  knownCommandsMax,
  type MessageEntry,
  resultArtifactId,
  type Task,
  type TaskDocument,
} from '#domain';
import { joinChunks, type StoredChunk } from '../chunks.js';
import { placeOf, revisionAt } from '../rows.js';
import type { Announcement, DocumentOptions, StoredFold, StoredTask } from '../view-database.js';
import type { ContentParameters } from './content-columns.js';
import { rows } from './queries.js';
import * as statements from './read-statements.js';

/** A row of a task, or of one of its versions, as it is stored. */
export interface RawTask {
  readonly taskKey: number;
  readonly fold: string;
  readonly heading: string | null;
}

export interface RawVersion extends RawTask {
  /** Members of JSON arrays. */
  readonly messages: string | null;
  readonly chunks: string | null;
}

interface RawLink extends Omit<ChildFact, 'graceMs'> {
  readonly childId: string;
  readonly graceMs: number | null;
}

interface Places {
  readonly lowest: number;
  readonly highest: number;
}

/** Later than every position: content as it is now. */
export const now = '~';

/** One more than is asked for: the status message comes on top. */
export const contentParameters = (
  { messages, artifacts }: DocumentOptions,
  asOf: string,
): ContentParameters => ({ messages: messages + 1, artifacts: Number(artifacts), asOf });

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
    interface Command {
      place: number;
      commandId: string;
      requestHash: string;
    }
    this.#commands = rows<Places & { limit: number }, Command>(database, statements.commandsOfTask);
    this.#children = rows<{ taskId: string }, RawLink>(database, statements.linksOfTask);
    this.#child = rows<Announcement, RawLink>(database, statements.linkOfTask);
  }

  fold(taskId: string): StoredFold | undefined {
    const raw = this.#task.get({ taskId });
    if (raw === undefined) return undefined;
    return {
      taskKey: raw.taskKey,
      task: JSON.parse(raw.fold) as Task,
      heading: { ...emptyDocument, ...headingOf(raw) },
    };
  }

  task(taskId: string): Task | undefined {
    const raw = this.#task.get({ taskId });
    if (raw === undefined) return undefined;
    const task = JSON.parse(raw.fold) as Task;
    if (task.commands.length === 0 && task.childCount === 0) return task;
    return { ...task, commands: this.#commandsOf(task, raw.taskKey), children: this.#childrenOf(task) };
  }

  document(taskId: string, options: DocumentOptions): StoredTask | undefined {
    const raw = this.#document.get({ taskId, ...contentParameters(options, now) });
    return raw && this.documentOf(raw, options.messages);
  }

  /** A version of a task with the newest `messages` entries of its content. */
  documentOf(raw: RawVersion, messages: number): StoredTask {
    const task = JSON.parse(raw.fold) as Task;
    const document: TaskDocument = {
      ...headingOf(raw),
      messages: this.#messagesOf(task, raw, messages),
      artifacts: raw.chunks === null ? [] : joinChunks(task, parseMembers<StoredChunk>(raw.chunks)),
    };
    return { task, document };
  }

  /** A version of a task with its result and nothing else. */
  resultOf(raw: RawTask): StoredTask {
    const task = JSON.parse(raw.fold) as Task;
    if (!task.hasResult) return { task, document: emptyDocument };
    const artifactId = resultArtifactId(task.taskId);
    const result = this.#result.get({ ...placesOf(task, raw.taskKey), artifactId });
    const artifacts = result === undefined ? [] : [JSON.parse(result.artifact) as Artifact];
    return { task, document: { ...emptyDocument, artifacts } };
  }

  /** The newest `limit` entries, and the status message wherever it stands. */
  #messagesOf(task: Task, raw: RawVersion, limit: number): readonly MessageEntry[] {
    if (raw.messages === null) return [];
    const newest = parseMembers<MessageEntry>(raw.messages).sort(byRevision);
    const { statusRevision } = task;
    if (task.statusHasMessage && newest.some(({ revision }) => revision === statusRevision)) return newest;
    if (newest.length > limit) newest.shift();
    if (!task.statusHasMessage) return newest;
    const status = this.#messageAt.get({ place: placeOf(raw.taskKey, statusRevision) });
    if (status === undefined) return newest;
    return [
      { revision: statusRevision, message: JSON.parse(status.message) as MessageEntry['message'] },
      ...newest,
    ];
  }

  child(announced: Announcement): ChildFact | undefined {
    const link = this.#child.get(announced);
    return link && factOf(link);
  }

  #commandsOf(task: Task, taskKey: number): readonly KnownCommand[] {
    if (task.commands.length === 0) return [];
    const newest = this.#commands.all({ ...placesOf(task, taskKey), limit: knownCommandsMax });
    newest.reverse();
    return newest.map(({ place, commandId, requestHash }) => ({
      commandId,
      requestHash,
      revision: revisionAt(place),
    }));
  }

  #childrenOf({ taskId, childCount }: Task): Task['children'] {
    if (childCount === 0) return [];
    return childrenOf(this.#children.all({ taskId }).map((link) => [link.childId, factOf(link)]));
  }
}

const factOf = ({ policy, onEnd, graceMs, revision }: RawLink): ChildFact => ({
  policy,
  onEnd,
  ...(graceMs !== null && { graceMs }),
  revision,
});

const parseMembers = <Member>(members: string): Member[] => JSON.parse(`[${members}]`) as Member[];

const byRevision = (one: MessageEntry, other: MessageEntry): number => one.revision - other.revision;

const headingOf = ({ heading }: RawTask): Pick<TaskDocument, 'metadata' | 'reason'> =>
  heading === null ? {} : (JSON.parse(heading) as Pick<TaskDocument, 'metadata' | 'reason'>);

const placesOf = (task: Task, taskKey: number): Places => ({
  lowest: placeOf(taskKey, 0),
  highest: placeOf(taskKey, task.revision),
});
