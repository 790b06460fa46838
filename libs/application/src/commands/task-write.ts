import {
  DomainError,
  knownCommand,
  type Caller,
  type KnownCommand,
  type Task,
  type TaskEvent,
} from '#domain';
import type { Deed, Owned } from '../access/rights.js';
import type { TaskChange } from '../application.js';
import type { Fold } from '../folds/hot-folds.js';
import type { CommandIdentity } from '../identity/commands.js';
import type { Stamp } from '../identity/stamp.js';

interface WriteToTask {
  readonly taskId: string;
  /** Throws what refuses; decides anew on whatever state it is given. `at`: the ledger's clock. */
  readonly decide: (task: Task | undefined, at: string) => readonly TaskEvent[];
  /** Ids of the events; random by default. */
  readonly eventId?: (index: number, event: TaskEvent) => string;
}

/** One command to one task's stream. */
export interface CallerWrite extends WriteToTask {
  readonly caller: Caller;
  readonly deed: Deed;
  readonly identity: CommandIdentity;
  readonly ifMatch?: number;
  /** A repetition under its key is answered with the task as it is now, not as the first attempt left it. */
  readonly answersNow?: boolean;
  /** The task that this command makes does not exist yet: whose it will be. */
  readonly creates?: Owned;
}

/** What the ledger itself does to a task; no rights are asked. */
export interface SystemWrite extends WriteToTask {
  readonly stamp: (task: Task) => Stamp;
  /** A fold that somebody has read before, perhaps not the newest: it spares a read where the task is not hot. */
  readonly known?: Task;
}

export type TaskWrite = CallerWrite | SystemWrite;

export const isSystemWrite = (write: TaskWrite): write is SystemWrite => 'stamp' in write;

/** What became of it. `fold`: the task after it, or as it stands now when nothing was appended. */
export interface WriteOutcome {
  readonly fold: Fold;
  /** What this command appended, now or in a first attempt whose answer was lost; empty for a no-op and a repetition. */
  readonly changes: readonly TaskChange[];
  /** Store position of the last of them; of a repetition's first attempt, where it was read anyway. */
  readonly position?: string;
  /** The command was found under its idempotency key, answered before. */
  readonly known?: KnownCommand;
}

export const keyReused = (taskId: string): DomainError =>
  new DomainError('idempotency-conflict', 'this idempotency key was used for another request', { taskId });

/** @throws DomainError `idempotency-conflict`: the key was used for another body */
export const knownOf = (
  task: Task,
  { commandId, requestHash }: CommandIdentity,
): KnownCommand | undefined => {
  if (requestHash === undefined) return undefined;
  const known = knownCommand(task, commandId);
  if (known === undefined || known.requestHash === requestHash) return known;
  throw keyReused(task.taskId);
};

export const revisionMismatch = (ifMatch: number, { taskId, revision }: Task): DomainError =>
  new DomainError('revision-mismatch', `task ${taskId} stands at revision ${String(revision)}`, {
    taskId,
    revision,
    ifMatch,
  });

/** @throws DomainError `revision-mismatch` */
export const assertRevision = (task: Task, ifMatch: number | undefined): void => {
  if (ifMatch !== undefined && ifMatch !== task.revision) throw revisionMismatch(ifMatch, task);
};
