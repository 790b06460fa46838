import type { Content } from '../content.js';
import type { At, CancellationBody, CancellationRequest, RequestedBy } from '../task/events.js';

/** Events of `cancellation-<cancellationId>`: with the root's own event they are the certificate. */
export interface CancellationEventData {
  /** The first event; written with *no stream* by any handler before it answers with the id, else by the saga. */
  CancellationOpened: At & {
    readonly cancellationId: string;
    readonly rootTaskId: string;
    /** The root's own event, its revision in the root's stream; absent where the root itself is no node. */
    readonly rootRevision?: number;
    readonly requestedAt: string;
    readonly request: CancellationRequest;
    readonly descendantsOnly: boolean;
    readonly content: Content<CancellationBody>;
  };
  /** The same cancel asked again; the first 100. Nothing is added to the task. */
  CancellationRepeated: At & {
    readonly taskId: string;
    readonly by: RequestedBy;
    readonly content: Content<CancellationBody>;
  };
}

export type CancellationEventType = keyof CancellationEventData;
export type CancellationEvent = {
  [T in CancellationEventType]: { readonly type: T; readonly data: CancellationEventData[T] };
}[CancellationEventType];
