import { plain, type Artifact, type Message } from '../content.js';
import type { EventMetadata } from '../metadata.js';
import type {
  LinkTerms,
  RecordedTaskEvent,
  RequestedBy,
  TaskEvent,
  TaskEventData,
  TaskEventOf,
} from '../task/events.js';
import { evolveAll } from '../task/evolve.js';
import type { Task } from '../task/state.js';
import { utf8Bytes } from '../text/utf8.js';

/** The second of the hour, so that histories read as a clock. */
export const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

export const message = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: `m-${text}`,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

export const agentMessage = (text: string): Message => message(text, { role: 'ROLE_AGENT' });

export const artifact = (artifactId: string, ...texts: readonly string[]): Artifact => ({
  artifactId,
  parts: texts.map((text) => ({ text })),
});

export const alice: RequestedBy = { principal: 'alice', role: 'user', via: 'ledger-api' };

export const metadata: EventMetadata = {
  tenant: 'acme',
  owner: 'alice',
  principal: 'alice',
  role: 'user',
  via: 'ledger-api',
  commandId: 'command',
  $causationId: 'command',
  $correlationId: 't1',
};

/** Events as they stand in the stream of a task, after `from` others. */
export const recorded = (
  events: readonly TaskEvent[],
  { from = 0, by = {} }: { from?: number; by?: Partial<EventMetadata> } = {},
): RecordedTaskEvent[] =>
  events.map((event, index) => ({
    ...event,
    revision: from + index,
    id: `event-${String(from + index)}`,
    metadata: { ...metadata, ...by },
    bytes: utf8Bytes(JSON.stringify(event.data)),
  }));

export const folded = (...events: readonly TaskEvent[]): Task | undefined =>
  evolveAll(undefined, recorded(events));

// One event of each kind, as short as a history needs it.

export const submitted: TaskEvent = {
  type: 'TaskSubmitted',
  data: {
    at: at(0),
    taskId: 't1',
    contextId: 'c1',
    rootTaskId: 't1',
    messageId: 'm-hello',
    content: plain({ message: message('hello') }),
  },
};

const status = (second: number, text?: string) => ({
  at: at(second),
  content: plain(text === undefined ? {} : { message: agentMessage(text) }),
});

export const started = (second = 1, text?: string): TaskEvent => ({
  type: 'TaskStarted',
  data: status(second, text),
});
export const progressed = (second: number, text: string): TaskEvent => ({
  type: 'TaskProgressed',
  data: status(second, text),
});
export const inputRequested = (second = 2, checkpointToken?: string): TaskEvent => ({
  type: 'TaskInputRequested',
  data: { ...status(second, 'which one?'), ...(checkpointToken !== undefined && { checkpointToken }) },
});
export const authRequested = (second = 2): TaskEvent => ({ type: 'TaskAuthRequested', data: status(second) });
export const resumed = (second = 3): TaskEvent => ({ type: 'TaskResumed', data: status(second) });
export const completed = (second = 9, text?: string): TaskEvent => ({
  type: 'TaskCompleted',
  data: status(second, text),
});
export const failed = (second = 9): TaskEvent => ({ type: 'TaskFailed', data: status(second) });
export const rejected = (second = 9): TaskEvent => ({ type: 'TaskRejected', data: status(second) });
export const stopped = (
  second = 9,
  more: Partial<TaskEventData['TaskStopped']> = {},
): TaskEventOf<'TaskStopped'> => ({
  type: 'TaskStopped',
  data: { ...status(second), stoppedBy: 'operator', ...more },
});
export const canceled = (
  second = 9,
  reason?: string,
  more: Partial<TaskEventData['TaskCanceled']> = {},
): TaskEventOf<'TaskCanceled'> => ({
  type: 'TaskCanceled',
  data: {
    at: at(second),
    cancellationId: 'x1',
    stoppedBy: 'user',
    request: { mode: 'immediate', cascade: true, requestedBy: alice },
    content: plain(reason === undefined ? {} : { reason }),
    ...more,
  },
});
/** Asked for the task itself, unless `more` says otherwise. */
export const cancellationRequested = (
  second = 2,
  cascade = true,
  more: Partial<TaskEventData['CancellationRequested']> = {},
): TaskEventOf<'CancellationRequested'> => ({
  type: 'CancellationRequested',
  data: {
    at: at(second),
    cancellationId: 'asked',
    dueAt: at(32),
    stoppedBy: 'user',
    request: { mode: 'cooperative', graceMs: 30_000, cascade, requestedBy: alice },
    content: plain({ reason: 'too slow' }),
    ...more,
  },
});
export const cancellationDeclined = (second = 3, cancellationId = 'asked'): TaskEvent => ({
  type: 'CancellationDeclined',
  data: { at: at(second), cancellationId, content: plain({ note: 'nearly done' }) },
});
export const messageRecorded = (second: number, said: Message): TaskEvent => ({
  type: 'MessageRecorded',
  data: { at: at(second), messageId: said.messageId, role: said.role, content: plain({ message: said }) },
});
export const artifactRecorded = (
  second: number,
  recordedArtifact: Artifact,
  { append = false, lastChunk = false }: { append?: boolean; lastChunk?: boolean } = {},
): TaskEvent => ({
  type: 'ArtifactRecorded',
  data: {
    at: at(second),
    artifactId: recordedArtifact.artifactId,
    append,
    lastChunk,
    content: plain({ artifact: recordedArtifact }),
  },
});
export const childLinked = (second: number, taskId: string, terms: Partial<LinkTerms> = {}): TaskEvent => ({
  type: 'ChildLinked',
  data: { at: at(second), child: { taskId, policy: 'cascade', onEnd: 'abandon', ...terms } },
});
export const parentAssigned = (second: number, taskId: string, rootTaskId = taskId): TaskEvent => ({
  type: 'ParentAssigned',
  data: { at: at(second), parent: { taskId, policy: 'cascade', onEnd: 'abandon' }, rootTaskId },
});
