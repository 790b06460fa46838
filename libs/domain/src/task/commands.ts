import type { Artifact, Message } from '../content.js';
import type { Json, JsonObject } from '../json.js';
import type {
  CancellationRequest,
  CancelMode,
  ChildLink,
  Link,
  LinkPolicy,
  OnEnd,
  RequestedBy,
  StopCause,
} from './events.js';
import type { Task, TaskState } from './state.js';

/** `at`: when the ledger took the command, from its own clock; `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export interface Taken {
  readonly at: string;
}

/** What a link asks for; `taskId` is the parent's. */
export interface ParentInput {
  readonly taskId: string;
  readonly policy?: LinkPolicy;
  readonly graceMs?: number;
  readonly onEnd?: OnEnd;
}

/** What a link must know of the parent: a {@link Task} fits. */
export type ParentFacts = Pick<
  Task,
  'taskId' | 'contextId' | 'createdAt' | 'state' | 'revision' | 'rootTaskId' | 'stoppedBy' | 'end'
>;

/** A parent to be, as it was asked for and as it stands. */
export interface ParentOffer {
  readonly parent: ParentInput;
  readonly parentTask: ParentFacts;
  /** Why the parent was canceled, where it was: a child that comes too late is born, or adopted, canceled for it. */
  readonly parentReason?: string;
}

export interface SubmitTask extends Taken {
  readonly type: 'SubmitTask';
  readonly taskId: string;
  readonly contextId: string;
  readonly message?: Message;
  readonly metadata?: JsonObject;
  readonly link?: Link;
  readonly parent?: ParentInput;
  /** Given exactly when `parent` is. */
  readonly parentTask?: ParentFacts;
  readonly parentReason?: string;
  readonly askSchema?: JsonObject;
  readonly deadline?: string;
}

/** An agent reports where the task stands. */
export interface ChangeState extends Taken {
  readonly type: 'ChangeState';
  readonly to: TaskState;
  readonly message?: Message;
  readonly reason?: string;
  /** With `to: stopped`, and only then. */
  readonly stoppedBy?: StopCause;
  /** With `to: completed`, and only then. */
  readonly result?: Json;
  /** With `to: input-required` and `to: auth-required`, and only then. */
  readonly askSchema?: JsonObject;
  /** Of a question: the token that its answer must give. Leaving a question for working: that token. */
  readonly checkpointToken?: string;
  readonly occurredAt?: string;
  readonly metadata?: JsonObject;
}

export interface RecordArtifact extends Taken {
  readonly type: 'RecordArtifact';
  readonly artifact: Artifact;
  /** Default false. */
  readonly append?: boolean;
  /** Default false. */
  readonly lastChunk?: boolean;
  readonly occurredAt?: string;
}

export interface RecordMessage extends Taken {
  readonly type: 'RecordMessage';
  readonly message: Message;
}

export interface CancelTask extends Taken {
  readonly type: 'CancelTask';
  /** Of the cancellation that this command opens, if it opens one. */
  readonly cancellationId: string;
  readonly requestedBy: RequestedBy;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly mode?: CancelMode;
  readonly graceMs?: number;
  /** Default true. */
  readonly cascade?: boolean;
}

/** The agent will not stop: closes the request that is open. */
export interface DeclineCancellation extends Taken {
  readonly type: 'DeclineCancellation';
  readonly note?: string;
}

/** The saga carries a cancellation to a task below its root. Nothing happens where it has ended or declined. */
export interface CarryCancellation extends Taken {
  readonly type: 'CarryCancellation';
  readonly cancellationId: string;
  /** `cooperative`: a task at work is asked, and one that is asked already is waited for. */
  readonly manner: CancelMode;
  /** Milliseconds that an asked task is given; default 30,000. */
  readonly graceMs?: number;
  readonly request: CancellationRequest;
  readonly reason?: string;
}

/** The saga stops a task whose parent has ended (`onEnd: cascade`). Nothing happens where it has ended. */
export interface StopOrphan extends Taken {
  readonly type: 'StopOrphan';
  readonly cancellationId: string;
  readonly reason?: string;
}

/** The timer of a request: at its `dueAt` the ledger ends the task. Nothing happens where it no longer stands. */
export interface ForceCancellation extends Taken {
  readonly type: 'ForceCancellation';
  readonly cancellationId: string;
}

/** The timer of a task's deadline. Nothing happens where it is not due, or the task has ended. */
export interface EndAtDeadline extends Taken {
  readonly type: 'EndAtDeadline';
}

/** To the child: makes `parent` its one owning parent. */
export interface AssignParent extends Taken, ParentOffer {
  readonly type: 'AssignParent';
}

/** To the parent: announces what the child's own stream has decided. */
export interface LinkChild extends Taken {
  readonly type: 'LinkChild';
  readonly child: ChildLink;
}

export type TaskCommand =
  | SubmitTask
  | ChangeState
  | RecordArtifact
  | RecordMessage
  | CancelTask
  | DeclineCancellation
  | AssignParent
  | LinkChild
  | CarryCancellation
  | StopOrphan
  | ForceCancellation
  | EndAtDeadline;
