import type { Arrival, CancellationLog, LateLog, PlaceOf, SettledNode, Task, WaitingNode } from '#domain';

/** What was read of one task: its own stream, and the one beside it. */
export interface KnownNode {
  /** Undefined: there is no such task. */
  readonly task: Task | undefined;
  /** Needed of a task that has ended, and of the root; an open task has no late children. */
  readonly late: LateLog | undefined;
  /** Places of events of the task's stream and of its late stream: all that were read since the sweep came here. */
  readonly placeOf: PlaceOf;
  readonly latePlaceOf: PlaceOf;
}

/** What must be read, or written, before a sweep can go on from one of its tasks; one at a time for each task. */
export type SweepWork =
  | { readonly kind: 'read'; readonly taskId: string }
  | {
      readonly kind: 'places';
      readonly taskId: string;
      readonly revisions: readonly number[];
      readonly lateRevisions: readonly number[];
    }
  /** Not before the certificate is open. */
  | { readonly kind: 'carry'; readonly taskId: string; readonly arrival: Arrival };

/** What a sweep adds to the cancellation's own stream, and to the late stream of a root that is no node. */
export type SweepRecord =
  | { readonly kind: 'note' }
  | { readonly kind: 'open' }
  | { readonly kind: 'await'; readonly node: WaitingNode }
  /** At most `linesMax`. */
  | { readonly kind: 'settle-nodes'; readonly nodes: readonly SettledNode[] }
  | { readonly kind: 'settle'; readonly whole: boolean };

/** Everything that `sweep` looks at. */
export interface KnownStreams {
  readonly log: CancellationLog | undefined;
  node(taskId: string): KnownNode;
}
