import type { LinkPolicy, Planned } from '#domain';

/** What a cancel would do to one task. */
export interface PlannedNode {
  readonly taskId: string;
  readonly parentTaskId?: string;
  /** The root has 0. */
  readonly depth: number;
  readonly policy?: LinkPolicy;
  readonly planned: Planned;
}

/** What a cancel would do now; nothing of it has happened. Counts are complete; nodes are at most 1,000. */
export interface CancellationPlan {
  readonly counts: Readonly<Record<Planned, number>>;
  readonly nodes: readonly PlannedNode[];
  /** Where the next page begins: after this task. */
  readonly nextNodes?: string;
}
