import type { Caller, EventMetadata, RequestedBy, Task, TaskEvent } from '#domain';
import type { Owned } from '../access/rights.js';
import type { CommandIdentity } from './commands.js';

/** What a command writes beside its events: whose the task is, who acted, and what it belongs to. */
export const metadataOf = (
  caller: Caller,
  identity: CommandIdentity,
  { tenant, owner }: Owned,
  correlationId: string,
): EventMetadata => ({
  tenant,
  owner,
  principal: caller.principal,
  role: caller.role,
  via: caller.via,
  ...(caller.requestId !== undefined && { requestId: caller.requestId }),
  commandId: identity.commandId,
  ...(identity.requestHash !== undefined && { requestHash: identity.requestHash }),
  ...(caller.traceparent !== undefined && { traceparent: caller.traceparent }),
  $causationId: identity.commandId,
  $correlationId: correlationId,
});

const systemActor = { principal: 'system', role: 'system', via: 'system' } as const;

/** What the ledger itself writes beside its events: `commandId` names the deed, `causeId` the event that led to it. */
export const systemMetadata = (
  { tenant, owner }: Owned,
  { commandId, causeId, correlationId }: { commandId: string; causeId: string; correlationId: string },
): EventMetadata => ({
  tenant,
  owner,
  ...systemActor,
  commandId,
  $causationId: causeId,
  $correlationId: correlationId,
});

/** Who asks for a cancellation, or answers one, as events hold it. */
export const requestedBy = ({ principal, role, via, requestId }: Caller): RequestedBy => ({
  principal,
  role,
  via,
  ...(requestId !== undefined && { requestId }),
});

/** What the events of one command belong to: a cancellation, else the root task named in the task's own stream. */
export const correlationOf = (task: Task | undefined, events: readonly TaskEvent[]): string => {
  let root = task?.rootTaskId ?? '';
  for (const { type, data } of events) {
    if (type === 'TaskCanceled' || type === 'CancellationRequested') return data.cancellationId;
    if (type === 'TaskSubmitted' || type === 'ParentAssigned') root = data.rootTaskId;
  }
  return root;
};
