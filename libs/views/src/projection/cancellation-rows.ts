import {
  type CancellationEvent,
  type CancellationRequest,
  firstCharacters,
  type Recorded,
  type RecordedTaskEvent,
  rootRevisionOf,
  type Task,
} from '#domain';
import type { Position } from '#event-store';
import type { CancellationMove, CancellationRow } from '../store/index.js';

/** Characters of a reason that a list shows; the certificate has all of it. */
export const listedReasonMax = 1_024;

export const listedReason = (reason: string | undefined): string | null =>
  reason === undefined ? null : firstCharacters(reason, listedReasonMax);

type RequestColumns = Pick<CancellationRow, 'principal' | 'role' | 'via' | 'requestId' | 'mode'>;

const requestColumns = ({ mode, requestedBy }: CancellationRequest): RequestColumns => {
  const { principal, role, via, requestId = null } = requestedBy;
  return { principal, role, via, requestId, mode };
};

type RootEvent = Extract<RecordedTaskEvent, { type: 'CancellationRequested' | 'TaskCanceled' }>;

/** A cancellation that begins with this event: whatever else names it answers it, or was reached by it. */
export const rootRow = (task: Task, event: RootEvent, position: Position): CancellationRow | undefined => {
  const { cancellationId, request, at, content } = event.data;
  if (rootRevisionOf(task, cancellationId) !== event.revision) return undefined;
  return {
    cancellationId,
    rootTaskId: task.taskId,
    rootRevision: event.revision,
    tenant: task.tenant,
    owner: task.owner,
    requestedAt: at,
    ...requestColumns(request),
    descendantsOnly: false,
    parentEnded: false,
    reason: listedReason(content.body.reason),
    position,
  };
};

type Opened = Extract<Recorded<CancellationEvent>, { type: 'CancellationOpened' }>;

/** For cancellations without an event on their root, and those whose root's event cannot be read. */
export const openedRow = ({ data, metadata }: Opened, position: Position): CancellationRow => ({
  cancellationId: data.cancellationId,
  rootTaskId: data.rootTaskId,
  rootRevision: data.rootRevision ?? null,
  tenant: metadata.tenant,
  owner: metadata.owner,
  requestedAt: data.requestedAt,
  ...requestColumns(data.request),
  descendantsOnly: data.descendantsOnly,
  parentEnded: data.parentEnded ?? false,
  reason: listedReason(data.content.body.reason),
  position,
});

const moves: Readonly<Partial<Record<CancellationEvent['type'], CancellationMove['to']>>> = {
  NodeWaiting: 'reopened',
  NodesSettled: 'reopened',
  CancellationSettled: 'settled',
  CancellationConfirmed: 'confirmed',
  WorkerWroteLate: 'wroteLate',
};

/**
 * What an event of its own stream does to the status of a cancellation: the same as in its fold, which knows the
 * lines as well. (A late write of a worker whose line is still to come takes a confirmation back here at once, there
 * with the line.)
 */
export const moveOf = (
  cancellationId: string,
  { type, data }: Recorded<CancellationEvent>,
): CancellationMove | undefined => {
  const to = moves[type];
  return to && { cancellationId, to, at: data.at };
};
