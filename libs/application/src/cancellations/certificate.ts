import type {
  CancelMode,
  JsonObject,
  LinkPolicy,
  NodeOutcome,
  RequestedBy,
  WaitingNode,
  WorkerState,
} from '#domain';

export interface CertificateNode {
  readonly taskId: string;
  readonly parentTaskId?: string;
  /** The root has depth 0. */
  readonly depth: number;
  /** Of the link over which the cancellation came; of a cancellation that answers a parent's end, its `onEnd`. */
  readonly policy?: LinkPolicy;
  readonly outcome: NodeOutcome | 'waiting';
  /** The other cancellation that ended it. */
  readonly by?: string;
  /** Of the event that settled it, in the task's own stream. */
  readonly revision?: number;
  readonly reachedAt: string;
  readonly settledAt?: string;
  /** Of the request it is waited for. */
  readonly dueAt?: WaitingNode['dueAt'];
  readonly worker: WorkerState;
  /** Which agent said that it knows, and when. */
  readonly acknowledged?: { readonly by: string; readonly at: string };
  readonly late?: true;
  readonly attempts: number;
  readonly lastError?: string;
}

/** What a cancellation has come to. Counts are complete; nodes, and the names after them, are at most 1,000. */
export interface Certificate {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly requestedAt: string;
  readonly requestedBy: RequestedBy;
  readonly mode: CancelMode;
  /** false: the root alone. */
  readonly cascade: boolean;
  /** Of what is below the root; the root itself is no node. */
  readonly descendantsOnly?: true;
  /** The ledger answers the root's end for the children that are to end with it. */
  readonly parentEnded?: true;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly status: 'running' | 'settled' | 'confirmed';
  readonly settledAt?: string;
  readonly confirmedAt?: string;
  readonly counts: Readonly<Record<NodeOutcome, number>>;
  readonly workers: Readonly<Record<WorkerState, number>>;
  /** By depth, then by id. */
  readonly nodes: readonly CertificateNode[];
  /** Where the next page begins: after this task. */
  readonly nextNodes?: string;
  /** Tasks that are not terminal. */
  readonly survivors: readonly string[];
  /** Tasks that this cancellation ended and whose worker may still be at it. */
  readonly unconfirmed: readonly string[];
  readonly repeats: readonly { readonly at: string; readonly by: RequestedBy }[];
}

/** What one cancellation means for one task. */
export interface TaskCancellation {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  /** From the root to the task. */
  readonly path: readonly string[];
  readonly outcome: CertificateNode['outcome'];
  /** The other cancellation that ended the task. */
  readonly by?: string;
  /** Of the link over which the cancellation came. */
  readonly policy?: LinkPolicy;
  readonly requestedBy: RequestedBy;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  /** When it was asked for. */
  readonly at: string;
  readonly repeats: Certificate['repeats'];
}
