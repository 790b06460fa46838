import { DomainError } from '../errors.js';
import type { EventMetadata } from '../metadata.js';
import type { Task } from './state.js';

/** Where an event stands that this version cannot read. */
export interface UnreadableEvent {
  readonly revision: number;
  readonly type: string;
}

/** What is known of a task whose very first event cannot be read. */
export interface UnreadableOrigin {
  readonly taskId: string;
  /** Of the event. */
  readonly id: string;
  readonly bytes?: number;
  readonly metadata?: Partial<EventMetadata>;
}

const epoch = '1970-01-01T00:00:00.000Z';

/** A stand-in, so that the task can be shown, flagged, instead of looking as if it did not exist. */
const unreadFromTheStart = (event: UnreadableEvent, origin: UnreadableOrigin): Task => ({
  taskId: origin.taskId,
  contextId: '',
  tenant: origin.metadata?.tenant ?? '',
  owner: origin.metadata?.owner ?? '',
  revision: event.revision,
  lastEventId: origin.id,
  createdAt: epoch,
  updatedAt: epoch,
  state: 'submitted',
  statusAt: epoch,
  statusRevision: event.revision,
  statusHasMessage: false,
  admitted: false,
  rootTaskId: origin.taskId,
  childCount: 0,
  children: [],
  requests: [],
  artifacts: [],
  hasResult: false,
  commands: [],
  bytes: origin.bytes ?? 0,
  unreadable: { revision: event.revision, type: event.type },
});

/**
 * Marks a fold at the first event that cannot be read: it stays as of the last readable revision, and nothing later
 * is folded (C43). `origin` is needed only where that event is the first of the stream.
 */
export const flagUnreadable = (
  task: Task | undefined,
  { revision, type }: UnreadableEvent,
  origin: UnreadableOrigin = { taskId: '', id: '' },
): Task => {
  if (task === undefined) return unreadFromTheStart({ revision, type }, origin);
  return task.unreadable === undefined ? { ...task, unreadable: { revision, type } } : task;
};

/** A task that is not fully read takes no writes: a decision on half a history may be wrong. */
export const assertReadable = ({ taskId, unreadable }: Task): void => {
  if (unreadable === undefined) return;
  throw new DomainError(
    'task-unreadable',
    `event ${String(unreadable.revision)} of task ${taskId} cannot be read`,
    {
      taskId,
      ...unreadable,
    },
  );
};
