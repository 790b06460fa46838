import type { Caller, EventMetadata, Task, TaskEvent } from '#domain';
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

/** What the events of one command belong to: a cancellation, else the root task named in the task's own stream. */
export const correlationOf = (task: Task | undefined, events: readonly TaskEvent[]): string => {
  for (const { type, data } of events) {
    if (type === 'TaskCanceled' || type === 'CancellationRequested') return data.cancellationId;
    if (type === 'TaskSubmitted' || type === 'ParentAssigned') return data.rootTaskId;
  }
  return task?.rootTaskId ?? '';
};
