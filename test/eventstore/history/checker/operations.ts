/**
 * What a history is made of: every question a client asked, when it asked and when it was answered, and what the
 * answer said. Times are milliseconds of one clock, that of the process in which all clients run; positions are those of
 * the edge, whose text order is log order.
 */

interface Asked {
  readonly client: number;
  /** The process that was asked; a name of its own after each restart. */
  readonly instance: string;
  readonly begin: number;
  readonly end: number;
}

/** A refusal by its stable code, with what it says of the task. */
export interface Refusal {
  readonly code: string;
  readonly taskId?: string;
  readonly revision?: number;
  readonly state?: string;
  readonly from?: string;
  readonly cancellationId?: string;
}

/** `unknown`: the connection was lost, no answer came in time, or the answer was 503. */
export type Answered<Said> =
  | { readonly kind: 'done'; readonly said: Said }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown' };

export type Deed = 'create' | 'transition' | 'message' | 'artifact' | 'cancel';

/** What an acknowledged write says of itself. */
export interface WriteSaid {
  readonly taskId: string;
  readonly revision: number;
  readonly state: string;
  readonly position?: string;
  readonly cancellationId?: string;
}

/** One attempt at a write. Attempts under one idempotency key share one `mark`, which stands beside their events. */
export interface WriteOperation extends Asked {
  readonly kind: 'write';
  readonly deed: Deed;
  readonly mark: string;
  /** Absent where the write makes the task. */
  readonly taskId?: string;
  /** State that a transition asks for. */
  readonly to?: string;
  /** Says nothing that must be kept: where the state is the one asked for, nothing is appended. */
  readonly bare?: true;
  readonly ifMatch?: number;
  /** Of a task that is made under another. */
  readonly parentTaskId?: string;
  readonly answer: Answered<WriteSaid>;
}

export interface ReadSaid {
  readonly revision: number;
  readonly state: string;
  readonly stale: boolean;
}

/** The task as it is, or as of a revision. */
export interface ReadOperation extends Asked {
  readonly kind: 'read';
  readonly taskId: string;
  readonly asOf?: number;
  readonly answer: Answered<ReadSaid>;
}

/** The whole stream of a task. */
export interface EventsOperation extends Asked {
  readonly kind: 'events';
  readonly taskId: string;
  readonly answer: Answered<{ readonly ids: readonly string[]; readonly stale: boolean }>;
}

export interface ListedTask {
  readonly taskId: string;
  readonly revision: number;
  readonly state: string;
}

/** Every page of a list of one context. */
export interface ListOperation extends Asked {
  readonly kind: 'list';
  readonly contextId: string;
  readonly waitFor?: string;
  readonly answer: Answered<{
    readonly position: string;
    readonly stale: boolean;
    readonly rows: readonly ListedTask[];
  }>;
}

export type Operation = WriteOperation | ReadOperation | EventsOperation | ListOperation;

/** An event of a task's stream, or of the stream of what came late to it, as the log has it. */
export interface LoggedEvent {
  readonly stream: 'task' | 'late';
  readonly taskId: string;
  readonly revision: number;
  readonly position: string;
  readonly id: string;
  readonly type: string;
  /** Of the write that appended it; absent where the ledger itself did. */
  readonly mark?: string;
  readonly cancellationId?: string;
  readonly stoppedBy?: string;
  /** Of a birth. */
  readonly contextId?: string;
  readonly childTaskId?: string;
}

/** A moment in which reads and refusals may be older than promised: a deposed leader woke up. */
export interface Excuse {
  readonly from: number;
  readonly to: number;
}

export interface History {
  readonly operations: readonly Operation[];
  /** In log order. */
  readonly log: readonly LoggedEvent[];
  readonly excuses?: readonly Excuse[];
}

export type Rule =
  | 'lost-update'
  | 'doubled-update'
  | 'invented-update'
  | 'broken-stream'
  | 'terminal-task-moved'
  | 'illegal-transition'
  | 'child-not-linked-once'
  | 'wrong-revision'
  | 'wrong-state'
  | 'wrong-position'
  | 'wrong-cancellation'
  | 'real-time-order'
  | 'stale-decision'
  | 'refused-yet-written'
  | 'stale-read'
  | 'read-your-writes'
  | 'read-of-the-future'
  | 'list-not-as-of-its-position'
  | 'list-behind'
  | 'unexpected-answer';

export interface Violation {
  readonly rule: Rule;
  readonly text: string;
  readonly operation?: Operation;
}
