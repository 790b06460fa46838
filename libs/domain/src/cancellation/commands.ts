import type { JsonObject } from '../json.js';
import type { Taken } from '../task/commands.js';
import type { CancellationRequest, RequestedBy } from '../task/events.js';
import type { SettledNode, WaitingNode } from './node.js';

/** Writes down that a cancellation exists, before anybody is given its id. */
export interface OpenCancellation extends Taken {
  readonly type: 'OpenCancellation';
  readonly cancellationId: string;
  readonly rootTaskId: string;
  /** Revision of the root's own event; absent where the root itself is no node. */
  readonly rootRevision?: number;
  readonly requestedAt: string;
  readonly request: CancellationRequest;
  readonly descendantsOnly: boolean;
  readonly parentEnded?: boolean;
  readonly reason?: string;
  readonly metadata?: JsonObject;
}

/** Notes that the same cancel was asked again. */
export interface NoteRepeat extends Taken {
  readonly type: 'NoteRepeat';
  /** Id of the event to be: the same repeat is noted once. */
  readonly eventId: string;
  readonly taskId: string;
  readonly by: RequestedBy;
  readonly reason?: string;
  readonly metadata?: JsonObject;
}

/** Nothing where the node is waiting or settled already. */
export interface AwaitNode extends Taken {
  readonly type: 'AwaitNode';
  readonly node: WaitingNode;
}

/** Lines that stand already are left out; an `unreachable` one is replaced. At most 256. */
export interface SettleNodes extends Taken {
  readonly type: 'SettleNodes';
  readonly nodes: readonly SettledNode[];
}

/** Nothing where it is settled already, or a node is waiting. */
export interface SettleCancellation extends Taken {
  readonly type: 'SettleCancellation';
  /** Everything below the root has been swept, not only what a late link brought: the first time needs it. */
  readonly whole: boolean;
}

/** Each of these changes one worker's state, or nothing: a fact that stands is not written twice. */
export interface NotifyWorkers extends Taken {
  readonly type: 'NotifyWorkers';
  readonly taskIds: readonly string[];
  /** The principal of the agent. */
  readonly to: string;
  /** `feed`, `stream`, … */
  readonly through: string;
}
export interface AcknowledgeWorker extends Taken {
  readonly type: 'AcknowledgeWorker';
  readonly taskId: string;
  readonly by: RequestedBy;
  readonly note?: string;
}
export interface NoteLateWrite extends Taken {
  readonly type: 'NoteLateWrite';
  readonly taskId: string;
  readonly principal: string;
  readonly attempted: 'transition' | 'artifact';
}

export type CancellationCommand =
  | OpenCancellation
  | NoteRepeat
  | AwaitNode
  | SettleNodes
  | SettleCancellation
  | NotifyWorkers
  | AcknowledgeWorker
  | NoteLateWrite;
