import type { CancellationRequest, LinkPolicy } from '../task/events.js';
import type { ChildFact } from '../task/state.js';

/** An event that is named as a cause. */
export interface EventMark {
  readonly eventId: string;
  readonly at: string;
}

/** Where an event stands: `position` orders the whole log as text. */
export interface EventPlace extends EventMark {
  readonly position: string;
}

/**
 * What a cancellation covers, from its first fact on.
 * `request`: asked for a task, which is its root. `descendants`: asked for what is below a task; its first fact is its
 * own opening. `parentEnd`: the ledger answers a task's end for the children that are to end with it (`onEnd`).
 */
export interface CancellationScope {
  readonly cancellationId: string;
  readonly kind: 'request' | 'descendants' | 'parentEnd';
  readonly rootTaskId: string;
  /** false: the root alone. */
  readonly cascade: boolean;
  /** The root's own event, the opening of `descendants`, the end that `parentEnd` answers. */
  readonly begin: EventPlace;
  readonly request: CancellationRequest;
  readonly reason?: string;
}

/** How the cascade comes to a task. */
export interface Arrival {
  readonly taskId: string;
  readonly depth: number;
  /** Absent for the root. */
  readonly link?: ArrivalLink;
  /** The event that let it come here: whatever ended before it was ended already. */
  readonly reach: EventPlace;
  /** The end, or the first fact, that caused it: the parent's, `begin` for the root. */
  readonly cause: EventMark;
}

export interface ArrivalLink {
  readonly parentTaskId: string;
  readonly child: ChildFact;
  readonly late: boolean;
}

/** What carries a parent's fate to the child: its policy, or `onEnd` where the ledger answers the parent's end. */
export const carriedBy = (
  scope: Pick<CancellationScope, 'kind'>,
  { policy, onEnd }: Pick<ChildFact, 'policy' | 'onEnd'>,
): LinkPolicy => (scope.kind === 'parentEnd' ? onEnd : policy);
