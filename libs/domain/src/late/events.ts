import type { Content } from '../content.js';
import type { JsonObject } from '../json.js';
import type { At, ChildLink, Reported } from '../task/events.js';

/** Events of `late-<taskId>`: what came after the end, readable and never in the task. */
export interface LateEventData {
  /** A state change or artifact that was refused; the first 100 of a task, content cut at 8 KiB of JSON. */
  LateUpdateRefused: Reported & {
    readonly taskId: string;
    readonly attempted: 'transition' | 'artifact';
    /** The state asked for, of a transition. */
    readonly to?: string;
    readonly artifactId?: string;
    /** Where the task stood: its terminal state, and the revision of its terminal event. */
    readonly state: string;
    readonly revision: number;
    readonly content: Content<{ readonly update: JsonObject; readonly truncated?: boolean }>;
  };
  /** A link that lost the race against its parent's end. */
  LateChildLinked: At & { readonly parentTaskId: string; readonly child: ChildLink };
  /** A cancellation of the descendants only passed this task. */
  DescendantsCancellationNoted: At & { readonly cancellationId: string };
}

export type LateEventType = keyof LateEventData;
export type LateEvent = {
  [T in LateEventType]: { readonly type: T; readonly data: LateEventData[T] };
}[LateEventType];
