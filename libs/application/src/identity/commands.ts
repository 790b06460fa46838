import { assertId, type Caller } from '#domain';
import type { Ids } from '../ports/clock.js';
import { nameBasedUuid, requestHash } from './name-based.js';

/** One name for the same deed on every binding. */
export type Operation =
  'create' | 'send' | 'transition' | 'artifact' | 'message' | 'adopt' | 'cancel' | 'acknowledge' | 'decline';

/** How a command is known again: by its idempotency key, or not at all. */
export interface CommandIdentity {
  readonly commandId: string;
  /** Of the validated input; only under a key. */
  readonly requestHash?: string;
}

export interface CommandScope {
  readonly logId: string;
  readonly caller: Caller;
  readonly operation: Operation;
  /** The task the command is addressed to; null where it makes one. */
  readonly taskId: string | null;
}

/** Idempotency keys are state (docs/adr/0004): the same key of the same caller for the same deed is the same command. */
export const identify = (
  { logId, caller, operation, taskId }: CommandScope,
  key: string | undefined,
  input: object,
  ids: Ids,
): CommandIdentity => {
  if (key === undefined) return { commandId: ids.uuid() };
  assertId(key, 'Idempotency-Key');
  return {
    commandId: nameBasedUuid([logId, caller.tenant, caller.principal, operation, taskId, key]),
    requestHash: requestHash(input),
  };
};

/** A create under a key always makes the same task: one append with *no stream* decides, on every instance. */
export const newTaskId = (
  { logId, caller, operation }: CommandScope,
  key: string | undefined,
  ids: Ids,
): string =>
  key === undefined ? ids.taskId() : nameBasedUuid([logId, caller.tenant, caller.principal, operation, key]);
