import type { Json, JsonObject } from '../json.js';
import type { Link, LinkPolicy, OnEnd, StoppedBy } from '../task/events.js';

export type RowStatus = 'running' | 'parked' | 'completed' | 'failed' | 'killed';

/** What a mapping cannot say in the words of the other side. */
export interface Loss {
  readonly field: string;
  readonly note: string;
}

/** The A2A 1.0 names of a task's state (specification §4.1.3). */
export type A2AState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_AUTH_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_CANCELED';

/** The ledger row: what the ledger API answers about one task. Everything in it stands in the task's own stream. */
export interface LedgerRow {
  readonly taskId: string;
  readonly contextId: string;
  readonly tenant: string;
  readonly owner: string;
  readonly revision: number;
  readonly status: RowStatus;
  readonly stoppedBy?: StoppedBy;
  readonly state: A2AState;
  readonly admitted: boolean;
  readonly checkpointToken?: string;
  readonly link?: Link;
  readonly parentTaskId?: string;
  readonly policy?: LinkPolicy;
  readonly onEnd?: OnEnd;
  readonly askSchema?: JsonObject;
  /** Folded from the artifact `<taskId>.result`. */
  readonly result?: Json;
  readonly cancellationId?: string;
  readonly cancellation?: { readonly requestedAt: string; readonly dueAt?: string };
  readonly children: { readonly total: number };
  readonly deadline?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly losses: readonly Loss[];
  readonly flagged?: { readonly revision: number; readonly type: string };
}
