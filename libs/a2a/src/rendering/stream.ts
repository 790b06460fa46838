import type { StreamResponse, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import type { TaskChange } from '#application';
import type { JsonObject, Message, RecordedTaskEvent, Task } from '#domain';
import { extensionUri } from '../extension.js';
import { explanationOf, ledgerMessage } from './explanation.js';
import { wireArtifact, wireMessage } from './message.js';
import { wireStateOf } from './states.js';

type EventOf<T extends RecordedTaskEvent['type']> = Extract<RecordedTaskEvent, { type: T }>;

interface Said {
  readonly message?: Message;
  readonly reason?: string;
  readonly metadata?: JsonObject;
}

const statusUpdate = (
  task: Task,
  at: string,
  message: NonNullable<TaskStatusUpdateEvent['status']>['message'],
  metadata: JsonObject | undefined,
): StreamResponse => ({
  payload: {
    $case: 'statusUpdate',
    value: {
      taskId: task.taskId,
      contextId: task.contextId,
      status: { state: wireStateOf(task), message, timestamp: at },
      metadata,
    },
  },
});

const statusFrame = (task: Task, at: string, said: Said): StreamResponse => {
  const message = said.message === undefined ? explanationOf(task, said.reason) : wireMessage(said.message);
  return statusUpdate(task, at, message, said.metadata);
};

/** A cooperative cancel: the state stays, and watchers are told that the agent has been asked. */
const askedFrame = (task: Task, event: EventOf<'CancellationRequested'>): StreamResponse => {
  const { at, cancellationId, dueAt, stoppedBy, content } = event.data;
  const { reason } = content.body;
  const asked = `The agent has been asked to stop${stoppedBy === 'parent' ? ' with the task above' : ''}.`;
  const until = dueAt === undefined ? '' : ` The task is canceled at ${dueAt} unless it ends before.`;
  const why = reason === undefined ? '' : ` Reason: ${reason}`;
  const message = ledgerMessage(task, event.revision, `${asked}${until}${why}`);
  const facts = dueAt === undefined ? { cancellationId } : { cancellationId, dueAt };
  return statusUpdate(task, at, message, { [extensionUri]: facts });
};

/** Takes back what {@link askedFrame} announced: nothing happens at `dueAt`. */
const declinedFrame = (task: Task, event: EventOf<'CancellationDeclined'>): StreamResponse => {
  const { at, cancellationId, content } = event.data;
  const { note } = content.body;
  const said = note === undefined ? '' : ` Its note: ${note}`;
  const message = ledgerMessage(task, event.revision, `The agent declined to stop; the task goes on.${said}`);
  return statusUpdate(task, at, message, { [extensionUri]: { cancellationId, declined: true } });
};

/** C10: the chunk exactly as it was recorded. */
const artifactFrame = (task: Task, event: EventOf<'ArtifactRecorded'>): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: {
      taskId: task.taskId,
      contextId: task.contextId,
      artifact: wireArtifact(event.data.content.body.artifact),
      append: event.data.append,
      lastChunk: event.data.lastChunk,
      metadata: undefined,
    },
  },
});

/**
 * The frame of a stream for one event (specification §4.2), or none: messages and links change neither status nor
 * artifacts, and the task's first event is what the first frame, the Task, shows.
 */
export const toStreamResponse = ({ event, task }: TaskChange): StreamResponse | undefined => {
  switch (event.type) {
    case 'TaskStarted':
    case 'TaskProgressed':
    case 'TaskInputRequested':
    case 'TaskAuthRequested':
    case 'TaskResumed':
    case 'TaskCompleted':
    case 'TaskFailed':
    case 'TaskRejected':
    case 'TaskCanceled':
    case 'TaskStopped':
      return statusFrame(task, event.data.at, event.data.content.body);
    case 'ArtifactRecorded':
      return artifactFrame(task, event);
    case 'CancellationRequested':
      return askedFrame(task, event);
    case 'CancellationDeclined':
      return declinedFrame(task, event);
    case 'TaskSubmitted':
    case 'MessageRecorded':
    case 'ParentAssigned':
    case 'ChildLinked':
      return undefined;
  }
};
