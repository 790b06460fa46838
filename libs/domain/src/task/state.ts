import type { JsonObject } from '../json.js';
import type { Shelves } from './shelves.js';
import type {
  CancelCause,
  CancelMode,
  CancellationRequest,
  Link,
  LinkTerms,
  ParentLink,
  StoppedBy,
} from './events.js';

export const openStates = ['submitted', 'working', 'input-required', 'auth-required'] as const;
export const terminalStates = ['completed', 'failed', 'rejected', 'canceled', 'stopped'] as const;
export type OpenState = (typeof openStates)[number];
export type TerminalState = (typeof terminalStates)[number];
export type TaskState = OpenState | TerminalState;

const terminal: ReadonlySet<string> = new Set(terminalStates);

/** A state that is never left. */
export const isTerminal = (state: TaskState): state is TerminalState => terminal.has(state);

export const isTaskState = (value: unknown): value is TaskState =>
  typeof value === 'string' && (terminal.has(value) || (openStates as readonly string[]).includes(value));

/** A command under an idempotency key, as the task remembers it. The newest 1,000, and the create's for ever. */
export interface KnownCommand {
  readonly commandId: string;
  readonly requestHash: string;
  /** Revision of the command's last event: its answer is the row as of it. */
  readonly revision: number;
}

/** What appends need to know of an artifact; its parts are content. */
export interface ArtifactFact {
  readonly sealed: boolean;
  /** Revision that opened it: artifacts are shown in first-seen order. */
  readonly firstRevision: number;
}

/** A child as its parent's stream, or the stream beside it, announces it. */
export interface ChildFact extends LinkTerms {
  /** Of the announcement, in the stream where it stands. */
  readonly revision: number;
}

/** A cancellation that asked this task to stop, by its id. */
export interface RequestFact {
  /** Of the `CancellationRequested`. */
  readonly revision: number;
  /** Whether the cancellation began here: this request is its root's own event. */
  readonly root: boolean;
  readonly cascade: boolean;
  /** The agent said no: for this cancellation the task and what is below it are shielded for ever. */
  readonly declined?: { readonly revision: number; readonly at: string };
}

/** How a task ended. */
export interface EndFact {
  /** Of the terminal event. */
  readonly revision: number;
  readonly eventId: string;
  readonly at: string;
  /** The state before; `submitted` means that nobody had taken the work up. */
  readonly from: OpenState;
  /** The cancellation that ended it. */
  readonly cancellationId?: string;
  /** Whether that cancellation began with this event. */
  readonly root: boolean;
  /** As it was asked of the root; of a `TaskCanceled` only. */
  readonly request?: CancellationRequest;
  readonly forced?: true;
  /** The request that was open when the task ended. */
  readonly asked?: { readonly cancellationId: string; readonly cascade: boolean };
  /** The principal of the agent that reported `canceled` itself. */
  readonly acknowledgedBy?: string;
}

/**
 * A task as decisions see it, folded from its own stream and nothing else. No content: messages and artifact parts
 * are folded into a {@link TaskDocument}. Plain JSON, so that a view can keep it as a snapshot.
 */
export interface Task {
  readonly taskId: string;
  readonly contextId: string;
  readonly tenant: string;
  readonly owner: string;
  /** Of the last event folded, and its id and `at`. */
  readonly revision: number;
  readonly lastEventId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly state: TaskState;
  /** `at` and revision of the event that last changed the state or its message: the A2A status timestamp. */
  readonly statusAt: string;
  readonly statusRevision: number;
  /** Whether the status event carries a message; it is shown in the status, and in history once superseded. */
  readonly statusHasMessage: boolean;
  readonly admitted: boolean;
  readonly checkpointToken?: string;
  readonly askSchema?: JsonObject;
  readonly stoppedBy?: StoppedBy;
  readonly link?: Link;
  readonly parent?: ParentLink;
  readonly rootTaskId: string;
  /** Children announced on this stream. */
  readonly childCount: number;
  /** Ask with `hasChild` and `childrenOf`. */
  readonly children: Shelves<ChildFact>;
  /** A child that was announced here is to end with this task (`onEnd: cascade`). */
  readonly endsChildren?: true;
  readonly deadline?: string;
  /** The cancellation that ended this task, or the one that is open on it. */
  readonly cancellationId?: string;
  readonly openCancellation?: {
    readonly cancellationId: string;
    readonly requestedAt: string;
    readonly dueAt?: string;
    readonly mode: CancelMode;
    readonly cascade: boolean;
    /** Both are written again on the `TaskCanceled` that answers this request. */
    readonly request: CancellationRequest;
    readonly stoppedBy: CancelCause;
  };
  /** Every cancellation that ever asked this task to stop, by its id. */
  readonly requests: Shelves<RequestFact>;
  /** Set exactly when the state is terminal. */
  readonly end?: EndFact;
  /** Ask with `artifactOf`. */
  readonly artifacts: Shelves<ArtifactFact>;
  readonly hasResult: boolean;
  readonly createCommand?: KnownCommand;
  readonly commands: readonly KnownCommand[];
  /** Bytes of JSON of all events so far; the cap of a task is 256 MiB or 100,000 events. */
  readonly bytes: number;
  /** First event that this version cannot read: everything above it is not folded, and no write is taken. */
  readonly unreadable?: { readonly revision: number; readonly type: string };
}
