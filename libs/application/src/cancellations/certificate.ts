import type { CancelMode, JsonObject, LinkPolicy, RequestedBy } from '#domain';

/** What became of one task of a cancellation's scope. */
export type NodeOutcome =
  | 'waiting'
  | 'canceled'
  | 'forced'
  | 'alreadyTerminal'
  | 'lostRace'
  | 'abandoned'
  | 'refused'
  | 'unreachable'
  | 'unknownRemote';

/** What is known of the worker behind a task; `none`, `acknowledged` and `leaseExpired` are closed. */
export type WorkerState = 'none' | 'unnotified' | 'notified' | 'acknowledged' | 'leaseExpired' | 'wroteLate';

export interface CertificateNode {
  readonly taskId: string;
  readonly parentTaskId?: string;
  /** The root has depth 0. */
  readonly depth: number;
  readonly policy?: LinkPolicy;
  readonly outcome: NodeOutcome;
  readonly by?: string;
  /** Of the event that settled it, in the task's own stream. */
  readonly revision?: number;
  readonly reachedAt: string;
  readonly settledAt?: string;
  readonly worker: WorkerState;
  readonly late?: true;
  readonly attempts: number;
  readonly lastError?: string;
}

/** What a cancellation has come to. Counts are complete; nodes are at most 1,000. */
export interface Certificate {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly requestedAt: string;
  readonly requestedBy: RequestedBy;
  readonly mode: CancelMode;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly status: 'running' | 'settled' | 'confirmed';
  readonly settledAt?: string;
  readonly confirmedAt?: string;
  readonly counts: Readonly<Record<Exclude<NodeOutcome, 'waiting'>, number>>;
  readonly workers: Readonly<Record<WorkerState, number>>;
  readonly nodes: readonly CertificateNode[];
  readonly nextNodes?: string;
  /** Tasks that are not terminal. */
  readonly survivors: readonly string[];
  /** Tasks that are terminal and whose worker may still be at it. */
  readonly unconfirmed: readonly string[];
  readonly repeats: readonly { readonly at: string; readonly by: RequestedBy }[];
}

export const noCounts: Certificate['counts'] = {
  canceled: 0,
  forced: 0,
  alreadyTerminal: 0,
  lostRace: 0,
  abandoned: 0,
  refused: 0,
  unreachable: 0,
  unknownRemote: 0,
};

export const noWorkers: Certificate['workers'] = {
  none: 0,
  unnotified: 0,
  notified: 0,
  acknowledged: 0,
  leaseExpired: 0,
  wroteLate: 0,
};
