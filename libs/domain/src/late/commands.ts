import type { JsonObject } from '../json.js';
import type { ChangeState, RecordArtifact, Taken } from '../task/commands.js';
import type { ChildLink } from '../task/events.js';
import { defined } from '../json.js';
import { toInstant } from '../time.js';
import type { Task } from '../task/state.js';

/** Notes an update that came after the task's end. */
export interface RecordLateUpdate extends Taken {
  readonly type: 'RecordLateUpdate';
  /** Deterministic id of the event to be: the same refused update is noted once. */
  readonly eventId: string;
  readonly taskId: string;
  readonly attempted: 'transition' | 'artifact';
  readonly to?: string;
  readonly artifactId?: string;
  readonly state: string;
  readonly revision: number;
  readonly occurredAt?: string;
  /** What was sent, whole; the event holds at most 8 KiB of it. */
  readonly update: JsonObject;
}

/** Notes a link that lost the race against its parent's end. */
export interface LinkLateChild extends Taken {
  readonly type: 'LinkLateChild';
  readonly parentTaskId: string;
  readonly child: ChildLink;
}

/** Notes that a cancellation of the descendants only passed this task. */
export interface NoteDescendantsCancellation extends Taken {
  readonly type: 'NoteDescendantsCancellation';
  readonly cancellationId: string;
}

export type LateCommand = RecordLateUpdate | LinkLateChild | NoteDescendantsCancellation;

const aimOf = (
  command: ChangeState | RecordArtifact,
): Pick<RecordLateUpdate, 'attempted' | 'to' | 'artifactId'> =>
  command.type === 'ChangeState'
    ? { attempted: 'transition', to: command.to }
    : { attempted: 'artifact', artifactId: command.artifact.artifactId };

const sentOf = (command: ChangeState | RecordArtifact): JsonObject => {
  const { type: _type, at: _at, occurredAt: _occurredAt, ...sent } = command;
  return JSON.parse(JSON.stringify(sent)) as JsonObject;
};

/**
 * The note of a command that `decide` refused with `task-is-terminal`.
 * @param eventId of the event to be, made from the command so that a retry finds it
 */
export const lateUpdateOf = (
  command: ChangeState | RecordArtifact,
  task: Task,
  eventId: string,
): RecordLateUpdate =>
  defined({
    type: 'RecordLateUpdate' as const,
    at: command.at,
    eventId,
    taskId: task.taskId,
    ...aimOf(command),
    state: task.state,
    revision: task.statusRevision,
    occurredAt: command.occurredAt === undefined ? undefined : toInstant(command.occurredAt, 'occurredAt'),
    update: sentOf(command),
  });
