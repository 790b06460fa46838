import { Task as TaskCodec, type Message as WireMessage, type Task as WireTask } from '@a2a-js/sdk';
import type { JsonObject, MessageEntry, Task, TaskDocument } from '#domain';
import { extensionUri } from '../extension.js';
import { isObject } from '../params/normalise.js';
import { explanationOf } from './explanation.js';
import { wireArtifact, wireMessage } from './message.js';
import { wireStateOf } from './states.js';

/** Messages of an answer whose request says nothing (specification §3.2.4). */
export const historyLengthDefault = 100;

/** Most messages of one answer: a request for more is answered with the newest of these. */
export const historyLengthMax = 1_000;

export interface TaskRendering {
  /** At most so many of the newest messages; 0: none. Default {@link historyLengthDefault}. */
  readonly historyLength?: number | undefined;
  /** Default true; false: the key `artifacts` is absent. */
  readonly includeArtifacts?: boolean | undefined;
}

const isStatusMessage = (task: Task, entry: MessageEntry): boolean =>
  task.statusHasMessage && entry.revision === task.statusRevision;

/** C09: the message of the current status stands in the status only. */
const statusMessageOf = (task: Task, document: TaskDocument): WireMessage | undefined => {
  if (!task.statusHasMessage) return explanationOf(task, document.reason);
  const entry = document.messages.findLast((candidate) => isStatusMessage(task, candidate));
  return entry === undefined ? undefined : wireMessage(entry.message);
};

const historyOf = (task: Task, document: TaskDocument, length: number): WireMessage[] => {
  if (length === 0) return []; // `slice(-0)` would be everything.
  const past = task.statusHasMessage
    ? document.messages.filter((entry) => !isStatusMessage(task, entry))
    : document.messages;
  return past.slice(-length).map((entry) => wireMessage(entry.message));
};

/** An open request to stop: the state and its message stay the agent's, so that whoever polls learns of it here. */
const askedOf = ({ openCancellation: open }: Task): JsonObject | undefined =>
  open && {
    cancellationId: open.cancellationId,
    ...(open.dueAt !== undefined && { dueAt: open.dueAt }),
  };

/** What the ledger adds to the task's own metadata: an open request, and the first event that it cannot read. */
const metadataOf = (task: Task, document: TaskDocument): JsonObject | undefined => {
  const { unreadable } = task;
  const asked = askedOf(task);
  if (unreadable === undefined && asked === undefined) return document.metadata;
  const given = document.metadata?.[extensionUri];
  const added = {
    ...(isObject(given) && given),
    ...asked,
    ...(unreadable && { flagged: { ...unreadable } }),
  };
  return { ...document.metadata, [extensionUri]: added };
};

/** The task as the SDK's transports take it: they write it with `Task.toJSON`. */
export const wireTask = (task: Task, document: TaskDocument, rendering: TaskRendering = {}): WireTask => ({
  id: task.taskId,
  contextId: task.contextId,
  status: {
    state: wireStateOf(task),
    message: statusMessageOf(task, document),
    timestamp: task.statusAt,
  },
  artifacts: rendering.includeArtifacts === false ? [] : document.artifacts.map(wireArtifact),
  history: historyOf(task, document, rendering.historyLength ?? historyLengthDefault),
  metadata: metadataOf(task, document),
});

/** A2A 1.0 Task in ProtoJSON (specification §4.1.1), byte for byte what GetTask answers for the same rendering. */
export const toTaskJson = (task: Task, document: TaskDocument, rendering: TaskRendering = {}): JsonObject =>
  TaskCodec.toJSON(wireTask(task, document, rendering)) as JsonObject;
