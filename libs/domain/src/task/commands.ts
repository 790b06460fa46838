import type { Artifact, Message } from '../content.js';
import type { Json, JsonObject } from '../json.js';
import type { CancelMode, ChildLink, Link, LinkPolicy, OnEnd, RequestedBy, StopCause } from './events.js';
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
  'taskId' | 'contextId' | 'createdAt' | 'state' | 'revision' | 'rootTaskId' | 'stoppedBy'
>;

/** A parent to be, as it was asked for and as it stands. */
export interface ParentOffer {
  readonly parent: ParentInput;
  readonly parentTask: ParentFacts;
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
  readonly descendantsOnly?: boolean;
  readonly dryRun?: boolean;
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
  SubmitTask | ChangeState | RecordArtifact | RecordMessage | CancelTask | AssignParent | LinkChild;
export type TaskCommandType = TaskCommand['type'];
