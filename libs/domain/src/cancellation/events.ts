import type { Content } from '../content.js';
import type { At, CancellationBody, CancellationRequest, RequestedBy } from '../task/events.js';
import type { SettledNode, WaitingNode } from './node.js';

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
    /** Opened by the ledger because the root ended in another way and takes children with it (`onEnd: cascade`). */
    readonly parentEnded?: boolean;
    readonly content: Content<CancellationBody>;
  };
  /** The same cancel asked again; the first 100. Nothing is added to the task. */
  CancellationRepeated: At & {
    readonly taskId: string;
    readonly by: RequestedBy;
    readonly content: Content<CancellationBody>;
  };
  /** A task is asked to stop, or waited for; it has a settled line later. */
  NodeWaiting: At & { readonly node: WaitingNode };
  /** Lines of the certificate, 1 to 256. */
  NodesSettled: At & { readonly nodes: readonly SettledNode[] };
  /** Every line that is due stands. A node after this reopens the certificate until the next one. */
  CancellationSettled: At;
  /** The word of the cancellation went out to agents: on a feed, a stream or the answer to a heartbeat. 1 to 256. */
  WorkersNotified: At & {
    readonly taskIds: readonly string[];
    readonly to: string;
    readonly through: string;
  };
  /** An agent said that it knows, by the ledger's own call or by reporting `canceled`. */
  WorkerAcknowledged: At & {
    readonly taskId: string;
    readonly by: RequestedBy;
    readonly content: Content<{ readonly note?: string }>;
  };
  /** A worker wrote to the task after its end, and was refused. */
  WorkerWroteLate: At & {
    readonly taskId: string;
    readonly principal: string;
    readonly attempted: 'transition' | 'artifact';
  };
  /** Settled, and no worker is left that may still be at it. In the same append as what made it so. */
  CancellationConfirmed: At;
}

export type CancellationEventType = keyof CancellationEventData;
export type CancellationEvent = {
  [T in CancellationEventType]: { readonly type: T; readonly data: CancellationEventData[T] };
}[CancellationEventType];
