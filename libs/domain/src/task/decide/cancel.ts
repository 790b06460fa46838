import { defined } from '../../json.js';
import { assertId } from '../../text/ids.js';
import type { CancelTask } from '../commands.js';
import type { CancellationBody, TaskEvent } from '../events.js';
import { cancellationRequest } from '../request.js';
import { isTerminal, type Task } from '../state.js';
import {
  cancellationRequested,
  isAtWork,
  taskCanceled,
  writtenAt,
  type Cancellation,
} from './cancellation-events.js';
import { taskIsTerminal } from './refusals.js';

/**
 * An immediate cancel answers the request that is open, under the open id, unless this one cascades and that one
 * does not.
 */
const answered = (own: Cancellation, { openCancellation: open }: Task): Cancellation =>
  open !== undefined && (open.cascade || !own.request.cascade) ? open : own;

/** Somebody has asked already: asked again, the task is given no other time. */
const ask = (own: Cancellation, at: string, body: CancellationBody, task: Task): readonly TaskEvent[] => {
  if (task.openCancellation !== undefined) return [];
  if (!isAtWork(task)) return [taskCanceled(own, at, body)];
  return [cancellationRequested(own, at, own.request.graceMs, body)];
};

/** Cancel is idempotent: on a canceled task it changes nothing (C29). */
export const cancel = (command: CancelTask, task: Task): readonly TaskEvent[] => {
  const { cancellationId, reason, metadata } = command;
  const request = cancellationRequest(command);
  assertId(cancellationId, 'cancellationId');
  if (task.state === 'canceled') return [];
  if (isTerminal(task.state)) throw taskIsTerminal(task);
  const own = { cancellationId, stoppedBy: 'user', request } as const;
  const at = writtenAt(command, task);
  const body = defined({ reason, metadata });
  if (request.mode === 'cooperative') return ask(own, at, body, task);
  return [taskCanceled(answered(own, task), at, body)];
};
