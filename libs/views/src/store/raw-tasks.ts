import {
  type Artifact,
  type ChildFact,
  childrenOf,
  emptyDocument,
  type KnownCommand,
  type MessageEntry,
  type Task,
  type TaskDocument,
} from '#domain';
import { joinChunks, type StoredChunk } from './chunks.js';
import { placeOf, revisionAt } from './rows.js';
import type { ContentParameters } from './statements/content-columns.js';
import type { ChildNode, DocumentOptions, StoredFold, StoredTask } from './view-database.js';

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

export interface RawLink extends Omit<ChildFact, 'graceMs'> {
  readonly childId: string;
  readonly graceMs: number | null;
}

export interface RawChild extends Omit<ChildNode, 'late' | 'task'> {
  readonly late: number;
  readonly fold: string | null;
}

export interface RawCommand {
  readonly place: number;
  readonly commandId: string;
  readonly requestHash: string;
}

/** The rows of a task's content, all of them. */
export interface Places {
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

/** No content at all. */
export const noContent: ContentParameters = { messages: 0, artifacts: 0, asOf: now };

export const taskIn = ({ fold }: Pick<RawTask, 'fold'>): Task => JSON.parse(fold) as Task;

export const placesOf = (task: Task, taskKey: number): Places => ({
  lowest: placeOf(taskKey, 0),
  highest: placeOf(taskKey, task.revision),
});

const headingOf = ({ heading }: RawTask): Pick<TaskDocument, 'metadata' | 'reason'> =>
  heading === null ? {} : (JSON.parse(heading) as Pick<TaskDocument, 'metadata' | 'reason'>);

export const foldOf = (raw: RawTask): StoredFold => ({
  taskKey: raw.taskKey,
  task: taskIn(raw),
  heading: { ...emptyDocument, ...headingOf(raw) },
});

export const factOf = ({ policy, onEnd, graceMs, revision }: RawLink): ChildFact => ({
  policy,
  onEnd,
  ...(graceMs !== null && { graceMs }),
  revision,
});

/** @param newest the newest first */
export const commandsIn = (newest: readonly RawCommand[]): readonly KnownCommand[] =>
  [...newest]
    .reverse()
    .map(({ place, commandId, requestHash }) => ({ commandId, requestHash, revision: revisionAt(place) }));

export const childrenIn = (links: readonly RawLink[]): Task['children'] =>
  childrenOf(links.map((link) => [link.childId, factOf(link)]));

export const childOf = ({ late, fold, ...link }: RawChild): ChildNode => ({
  ...link,
  late: late === 1,
  ...(fold !== null && { task: taskIn({ fold }) }),
});

const parseMembers = <Member>(members: string): Member[] => JSON.parse(`[${members}]`) as Member[];

const byRevision = (one: MessageEntry, other: MessageEntry): number => one.revision - other.revision;

/** A version of a task with the newest `limit` entries of its content. */
export interface ShownTask extends StoredTask {
  /** Where the status message stands that is none of these entries. */
  readonly statusPlace?: number;
}

export const shownOf = (raw: RawVersion, limit: number): ShownTask => {
  const task = taskIn(raw);
  const artifacts = raw.chunks === null ? [] : joinChunks(task, parseMembers<StoredChunk>(raw.chunks));
  const newest = raw.messages === null ? [] : parseMembers<MessageEntry>(raw.messages).sort(byRevision);
  const { statusRevision } = task;
  const hasStatus = newest.some(({ revision }) => revision === statusRevision);
  const isApart = raw.messages !== null && task.statusHasMessage && !hasStatus;
  // One more than is asked for is read, which is the status message or nothing.
  if (newest.length > limit && !(task.statusHasMessage && hasStatus)) newest.shift();
  return {
    task,
    document: { ...headingOf(raw), messages: newest, artifacts },
    ...(isApart && { statusPlace: placeOf(raw.taskKey, statusRevision) }),
  };
};

/** Puts the status message before the other entries. */
export const withStatus = ({ task, document }: StoredTask, message: string | undefined): StoredTask => {
  if (message === undefined) return { task, document };
  const entry = { revision: task.statusRevision, message: JSON.parse(message) as MessageEntry['message'] };
  return { task, document: { ...document, messages: [entry, ...document.messages] } };
};

/** A task with its result and nothing else. */
export const withResult = (task: Task, artifact: string | undefined): StoredTask => ({
  task,
  document: {
    ...emptyDocument,
    artifacts: artifact === undefined ? [] : [JSON.parse(artifact) as Artifact],
  },
});
