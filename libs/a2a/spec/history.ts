import type { TaskChange } from '#application';
import {
  evolve,
  evolveDocument,
  plain,
  type Artifact,
  type CancelCause,
  type JsonObject,
  type Message,
  type RecordedTaskEvent,
  type StopCause,
  type Task,
  type TaskDocument,
  type TaskEvent,
} from '#domain';

const metadata = {
  tenant: 'acme',
  owner: 'alice',
  principal: 'alice',
  role: 'user',
  via: 'a2a-jsonrpc',
  commandId: 'c',
  $causationId: 'c',
  $correlationId: 't1',
} as const;

/** The n-th second of the story. */
export const second = (revision: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, 0, revision)).toISOString();

export const userMessage = (messageId: string, text = messageId, more: Partial<Message> = {}): Message => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

export const agentMessage = (messageId: string, text = messageId): Message => ({
  messageId,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});

type Build = (at: string) => TaskEvent;

type Born = Pick<Extract<TaskEvent, { type: 'TaskSubmitted' }>['data'], 'parent' | 'deadline'>;

export const submitted =
  (message?: Message, given?: JsonObject, born: Born = {}): Build =>
  (at) => ({
    type: 'TaskSubmitted',
    data: {
      at,
      taskId: 't1',
      contextId: 'ctx',
      rootTaskId: 't1',
      ...born,
      content: plain({
        ...(message === undefined ? {} : { message }),
        ...(given === undefined ? {} : { metadata: given }),
      }),
    },
  });

type Said = Extract<TaskEvent, { type: 'TaskStarted' }>['data']['content']['body'];
type Saying =
  'TaskStarted' | 'TaskProgressed' | 'TaskResumed' | 'TaskCompleted' | 'TaskFailed' | 'TaskRejected';

export const says =
  (type: Saying | 'TaskInputRequested' | 'TaskAuthRequested', body: Said = {}): Build =>
  (at) => ({ type, data: { at, content: plain(body) } });

export const received =
  (message: Message): Build =>
  (at) => ({
    type: 'MessageRecorded',
    data: { at, messageId: message.messageId, role: message.role, content: plain({ message }) },
  });

export const chunk =
  (artifact: Artifact, append = false, lastChunk = false): Build =>
  (at) => ({
    type: 'ArtifactRecorded',
    data: { at, artifactId: artifact.artifactId, append, lastChunk, content: plain({ artifact }) },
  });

const request = {
  mode: 'immediate',
  cascade: true,
  requestedBy: { principal: 'alice', role: 'user', via: 'a2a-jsonrpc' },
} as const;

export const canceled =
  (reason?: string, stoppedBy: CancelCause = 'user'): Build =>
  (at) => ({
    type: 'TaskCanceled',
    data: {
      at,
      cancellationId: 'cancel-1',
      stoppedBy,
      request,
      content: plain(reason === undefined ? {} : { reason }),
    },
  });

export const asked =
  (dueAt: string, reason?: string, stoppedBy: CancelCause = 'user'): Build =>
  (at) => ({
    type: 'CancellationRequested',
    data: {
      at,
      cancellationId: 'cancel-1',
      dueAt,
      stoppedBy,
      request: { ...request, mode: 'cooperative' },
      content: plain(reason === undefined ? {} : { reason }),
    },
  });

export const declined =
  (note?: string): Build =>
  (at) => ({
    type: 'CancellationDeclined',
    data: { at, cancellationId: 'cancel-1', content: plain(note === undefined ? {} : { note }) },
  });

export const stopped =
  (stoppedBy: StopCause, body: Said = {}, cancellationId?: string): Build =>
  (at) => ({
    type: 'TaskStopped',
    data: { at, stoppedBy, ...(cancellationId !== undefined && { cancellationId }), content: plain(body) },
  });

export interface History {
  readonly task: Task;
  readonly document: TaskDocument;
  readonly changes: readonly TaskChange[];
}

const record = (build: Build, revision: number): RecordedTaskEvent => ({
  ...build(second(revision)),
  revision,
  id: `e${String(revision)}`,
  metadata,
  bytes: 100,
});

/** A story of task `t1` in context `ctx`: what it folds to, and the changes that its watchers saw. */
export const history = (...story: readonly [Build, ...Build[]]): History => {
  const changes: TaskChange[] = [];
  let task: Task | undefined;
  let document: TaskDocument | undefined;
  story.forEach((build, revision) => {
    const event = record(build, revision);
    task = evolve(task, event);
    document = evolveDocument(document, event);
    changes.push({ event, task });
  });
  if (task === undefined || document === undefined) throw new Error('a story has a first event');
  return { task, document, changes };
};
