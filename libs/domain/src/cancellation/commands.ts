import type { JsonObject } from '../json.js';
import type { Taken } from '../task/commands.js';
import type { CancellationRequest, RequestedBy } from '../task/events.js';

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

export type CancellationCommand = OpenCancellation | NoteRepeat;
