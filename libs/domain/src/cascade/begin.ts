import type { CancellationEventData } from '../cancellation/events.js';
import type { TaskEventData } from '../task/events.js';
import { factOn } from '../task/shelves.js';
import type { Task } from '../task/state.js';
import type { CancellationScope, EventPlace } from './scope.js';

/** The revision of the root's own event of a cancellation that was asked for this task; absent where it is no root. */
export const rootRevisionOf = (
  { requests, end }: Pick<Task, 'requests' | 'end'>,
  cancellationId: string,
): number | undefined => {
  const asked = factOn(requests, cancellationId);
  if (asked !== undefined) return asked.root ? asked.revision : undefined;
  return end?.cancellationId === cancellationId && end.root ? end.revision : undefined;
};

/**
 * Who answers a task's end for its `onEnd: cascade` children: a cancellation of the ledger's own (`own`), the one that
 * stopped the task, or nobody, because it was canceled or ended while a cascading request was open: then `policy`
 * alone counts.
 */
export const answerToEnd = ({
  state,
  end,
}: Pick<Task, 'state' | 'end'>): 'own' | { readonly cancellationId: string } | undefined => {
  if (end === undefined || state === 'canceled') return undefined;
  if (end.cancellationId !== undefined) return { cancellationId: end.cancellationId };
  return end.asked?.cascade === true ? undefined : 'own';
};

/** What a root's own event begins. */
export const scopeOfRequest = (
  rootTaskId: string,
  data: TaskEventData['CancellationRequested'] | TaskEventData['TaskCanceled'],
  begin: EventPlace,
): CancellationScope => {
  const { cancellationId, request, content } = data;
  const { reason } = content.body;
  return {
    cancellationId,
    kind: 'request',
    rootTaskId,
    cascade: request.cascade,
    begin,
    request,
    ...(reason !== undefined && { reason }),
  };
};

/** What the opening of a cancellation of the descendants only begins. */
export const scopeOfDescendants = (
  { cancellationId, rootTaskId, request, content }: CancellationEventData['CancellationOpened'],
  begin: EventPlace,
): CancellationScope => {
  const { reason } = content.body;
  return {
    cancellationId,
    kind: 'descendants',
    rootTaskId,
    cascade: true,
    begin,
    request,
    ...(reason !== undefined && { reason }),
  };
};

/**
 * How the ledger itself answers the end of a task.
 * @param cancellationId derived from the event that ended it
 */
export const scopeOfEnd = (
  { taskId, state }: Pick<Task, 'taskId' | 'state'>,
  cancellationId: string,
  begin: EventPlace,
): CancellationScope => ({
  cancellationId,
  kind: 'parentEnd',
  rootTaskId: taskId,
  cascade: true,
  begin,
  request: {
    mode: 'immediate',
    cascade: true,
    requestedBy: { principal: 'system', role: 'system', via: 'system' },
  },
  reason: `onEnd: cascade, the parent ended: ${state}`,
});
