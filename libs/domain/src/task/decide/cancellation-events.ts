import { plain } from '../../content.js';
import { firstCharacters } from '../../text/prefix.js';
import { later, millisecondsAfter } from '../../time.js';
import type { CancellationBody, CancelCause, CancellationRequest, TaskEvent } from '../events.js';
import { graceMsDefault } from '../request.js';
import type { Task } from '../state.js';

/** Characters of a reason that each task below the root keeps; the whole stands on the root. */
export const carriedReasonMax = 1_024;

/** What the tasks below a root keep of why. */
export const carriedBody = (reason: string | undefined): { readonly reason?: string } =>
  reason === undefined ? {} : { reason: firstCharacters(reason, carriedReasonMax) };

/** The request that a task is asked or ended with, by whoever asked. */
export interface Cancellation {
  readonly cancellationId: string;
  readonly stoppedBy: CancelCause;
  readonly request: CancellationRequest;
}

export const taskCanceled = (
  { cancellationId, stoppedBy, request }: Cancellation,
  at: string,
  body: CancellationBody,
): TaskEvent => ({
  type: 'TaskCanceled',
  data: { at, cancellationId, stoppedBy, request, content: plain(body) },
});

export const cancellationRequested = (
  { cancellationId, stoppedBy, request }: Cancellation,
  at: string,
  graceMs: number | undefined,
  body: CancellationBody,
): TaskEvent => ({
  type: 'CancellationRequested',
  data: {
    at,
    cancellationId,
    dueAt: millisecondsAfter(at, graceMs ?? graceMsDefault),
    request,
    stoppedBy,
    content: plain(body),
  },
});

/** Only a task at work is asked: nobody could answer for another. */
export const isAtWork = ({ state }: Task): boolean => state === 'working';

/** When an event of this task is written that a command makes happen. */
export const writtenAt = (command: { readonly at: string }, task: Task): string =>
  later(command.at, task.updatedAt);
