import type { Artifact, Content, Message } from '../content.js';
import type { JsonObject } from '../json.js';
import type { EventMetadata } from '../metadata.js';

/** What a task is attached to outside the ledger. */
export type Link =
  | { readonly kind: 'run'; readonly id: string }
  | { readonly kind: 'subagent'; readonly handle: string }
  | { readonly kind: 'turn'; readonly contextId: string };

/** What a cancel of the parent does to the child. */
export type LinkPolicy = 'cascade' | 'cooperative' | 'abandon';
/** What another end of the parent does to the child. */
export type OnEnd = 'abandon' | 'cascade';

export interface LinkTerms {
  readonly policy: LinkPolicy;
  readonly onEnd: OnEnd;
  /** Milliseconds a cooperative child is given; only with `cooperative`. */
  readonly graceMs?: number;
}

/** The one owning parent, decided by the child's own stream. */
export interface ParentLink extends LinkTerms {
  readonly taskId: string;
}

export interface ChildLink extends LinkTerms {
  readonly taskId: string;
}

/** Why a task was killed. `user` and `parent` come from cancellations, the rest from `to: stopped`. */
export type StopCause =
  'operator' | 'deadline' | 'lease-expired' | 'orphaned' | 'superseded' | 'peer' | 'policy' | 'system';
export type CancelCause = 'user' | 'parent';
export type StoppedBy = StopCause | CancelCause;

export type CancelMode = 'immediate' | 'cooperative';

/** Who asked for a cancellation, and how it was asked. */
export interface RequestedBy {
  readonly principal: string;
  readonly role: EventMetadata['role'];
  readonly via: string;
  readonly requestId?: string;
}

/** The request as it was asked, kept whole on the root's event. */
export interface CancellationRequest {
  readonly mode: CancelMode;
  readonly graceMs?: number;
  readonly cascade: boolean;
  readonly requestedBy: RequestedBy;
}

/** `at`: the ledger's clock, never earlier than the event before it in the stream. ISO 8601, UTC, milliseconds. */
export interface At {
  readonly at: string;
}

/** `occurredAt`: the agent's own time for what it reports. */
export interface Reported extends At {
  readonly occurredAt?: string;
}

/** What an agent says with a change of state. `message` becomes the task's status message. */
export interface StatusBody {
  readonly message?: Message;
  readonly reason?: string;
  readonly metadata?: JsonObject;
}

export interface QuestionBody extends StatusBody {
  /** JSON Schema that the answer must fit. */
  readonly askSchema?: JsonObject;
}

/** A change of state that carries nothing but what the agent says. */
export interface StatusChange extends Reported {
  readonly content: Content<StatusBody>;
}

/** Every event of a task's stream by its type; names and shapes are public for ever (docs/EVENTS.md). */
export interface TaskEventData {
  TaskSubmitted: At & {
    readonly taskId: string;
    readonly contextId: string;
    readonly link?: Link;
    readonly parent?: ParentLink;
    /** The root above at birth; the task itself when it has no parent. */
    readonly rootTaskId: string;
    readonly deadline?: string;
    /** Set when the create carries a message: it is the first of the task. */
    readonly messageId?: string;
    readonly content: Content<{
      readonly message?: Message;
      readonly metadata?: JsonObject;
      readonly askSchema?: JsonObject;
    }>;
  };
  TaskStarted: StatusChange;
  /** The state is kept; the status message is replaced. */
  TaskProgressed: StatusChange;
  TaskInputRequested: Reported & {
    readonly checkpointToken?: string;
    readonly content: Content<QuestionBody>;
  };
  TaskAuthRequested: Reported & {
    readonly checkpointToken?: string;
    readonly content: Content<QuestionBody>;
  };
  /** From input-required or auth-required to working. */
  TaskResumed: StatusChange;
  MessageRecorded: At & {
    readonly messageId: string;
    readonly role: Message['role'];
    readonly content: Content<{ readonly message: Message }>;
  };
  ArtifactRecorded: Reported & {
    readonly artifactId: string;
    /** true: the parts are added to the artifact; false: they replace it, or open it. */
    readonly append: boolean;
    /** Seals the artifact. */
    readonly lastChunk: boolean;
    readonly content: Content<{ readonly artifact: Artifact }>;
  };
  ParentAssigned: At & { readonly parent: ParentLink; readonly rootTaskId: string };
  ChildLinked: At & { readonly child: ChildLink };
  CancellationRequested: At & {
    readonly cancellationId: string;
    /** When the ledger forces it; a remote child has none. */
    readonly dueAt?: string;
    readonly request: CancellationRequest;
    readonly stoppedBy: CancelCause;
    readonly content: Content<CancellationBody>;
  };
  CancellationDeclined: At & {
    readonly cancellationId: string;
    readonly content: Content<{ readonly note?: string }>;
  };
  TaskCompleted: StatusChange;
  TaskFailed: StatusChange;
  TaskRejected: StatusChange;
  TaskCanceled: At & {
    readonly cancellationId: string;
    readonly stoppedBy: CancelCause;
    /** The request as it was asked of the root. */
    readonly request: CancellationRequest;
    /** Written by the ledger at `dueAt`. */
    readonly forced?: boolean;
    /** Reported by the agent that was asked: it knows that it has to stop. */
    readonly acknowledged?: boolean;
    readonly content: Content<CancellationBody>;
  };
  TaskStopped: Reported & {
    readonly stoppedBy: StopCause;
    readonly cancellationId?: string;
    readonly content: Content<StatusBody>;
  };
}

/** Why a task is cancelled, in the words of whoever asked. */
export interface CancellationBody {
  readonly reason?: string;
  readonly metadata?: JsonObject;
  /** The agent's last words, where it reported `canceled` itself. */
  readonly message?: Message;
}

export type TaskEventType = keyof TaskEventData;
export interface TaskEventOf<T extends TaskEventType> {
  readonly type: T;
  readonly data: TaskEventData[T];
}
export type TaskEvent = { [T in TaskEventType]: TaskEventOf<T> }[TaskEventType];

/** An event as it stands in a stream. */
export type Recorded<Event> = Event & {
  readonly revision: number;
  readonly id: string;
  readonly metadata: EventMetadata;
  /** Bytes of UTF-8 of the stored data and metadata texts; they count towards the cap of a task. */
  readonly bytes: number;
};
export type RecordedTaskEvent = Recorded<TaskEvent>;
