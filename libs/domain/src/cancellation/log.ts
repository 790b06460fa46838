import type { JsonObject } from '../json.js';
import type { CancellationRequest, RequestedBy } from '../task/events.js';
import type { Shelves } from '../task/shelves.js';
import type { NodeOutcome, SettledNode, WaitingNode, WorkerState } from './node.js';

/** One cancel asked again. */
export interface CancellationRepeat {
  readonly eventId: string;
  readonly at: string;
  readonly taskId: string;
  readonly by: RequestedBy;
}

/** A line of the certificate. */
export type NodeFact =
  | { readonly kind: 'settled'; readonly node: SettledNode }
  | { readonly kind: 'waiting'; readonly node: WaitingNode };

/** What the cancellation's own stream says of a worker, beyond its line. */
export interface WorkerFact {
  readonly worker: Exclude<WorkerState, 'none' | 'unnotified'>;
  readonly at: string;
  /** The principal of the agent that was told, acknowledged, or wrote. */
  readonly by: string;
  /** Facts noted of this worker so far; there is a most (`workerFactsMax`). */
  readonly count: number;
}

/** A cancellation as its own stream tells it. Plain JSON. */
export interface CancellationLog {
  readonly revision: number;
  readonly lastEventId: string;
  readonly updatedAt: string;
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly rootRevision?: number;
  readonly requestedAt: string;
  readonly request: CancellationRequest;
  readonly descendantsOnly: boolean;
  readonly parentEnded?: boolean;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  /** The first 100. */
  readonly repeats: readonly CancellationRepeat[];
  /** Lines by task id; ask with `nodeOf`. */
  readonly nodes: Shelves<NodeFact>;
  readonly nodeCount: number;
  /** Lines that are not settled. */
  readonly waitingCount: number;
  readonly workerFacts: Shelves<WorkerFact>;
  /** Settled lines by outcome. */
  readonly counts: Readonly<Record<NodeOutcome, number>>;
  /** Settled lines by the state of their worker. */
  readonly workers: Readonly<Record<WorkerState, number>>;
  readonly status: 'running' | 'settled' | 'confirmed';
  /** Whether it was ever settled: everything below the root has been swept then. */
  readonly wasSettled: boolean;
  /** Of the last time; absent while it is running. */
  readonly settledAt?: string;
  /** Absent unless it is confirmed. */
  readonly confirmedAt?: string;
  /** Owner and tenant, from the first event's metadata: who may see it. */
  readonly tenant: string;
  readonly owner: string;
}
