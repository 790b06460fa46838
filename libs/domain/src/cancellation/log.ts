import type { JsonObject } from '../json.js';
import type { CancellationRequest, RequestedBy } from '../task/events.js';

/** One cancel asked again. */
export interface CancellationRepeat {
  readonly eventId: string;
  readonly at: string;
  readonly taskId: string;
  readonly by: RequestedBy;
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
  readonly reason?: string;
  readonly metadata?: JsonObject;
  /** The first 100. */
  readonly repeats: readonly CancellationRepeat[];
  /** Owner and tenant, from the first event's metadata: who may see it. */
  readonly tenant: string;
  readonly owner: string;
}
