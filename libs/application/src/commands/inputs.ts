import type {
  Artifact,
  CancelMode,
  Json,
  JsonObject,
  Link,
  LinkPolicy,
  Message,
  OnEnd,
  StopCause,
  Task,
  TaskDocument,
  TaskState,
} from '#domain';

/** How a write is asked for, on every surface. */
export interface WriteOptions {
  /** 1 to 256 characters; the same key again answers as the first time did. */
  readonly idempotencyKey?: string;
  /** The write is refused (`revision-mismatch`) unless the task stands at this revision. */
  readonly ifMatch?: number;
}

export interface LinkInput {
  readonly taskId: string;
  readonly policy?: LinkPolicy;
  readonly graceMs?: number;
  readonly onEnd?: OnEnd;
}

export interface CreateTaskInput {
  readonly contextId?: string;
  readonly message?: Message;
  readonly metadata?: JsonObject;
  readonly link?: Link;
  readonly parent?: LinkInput;
  readonly askSchema?: JsonObject;
  readonly deadline?: string;
}

export interface TransitionInput {
  readonly to: Exclude<TaskState, 'submitted'>;
  readonly message?: Message;
  readonly reason?: string;
  readonly stoppedBy?: StopCause;
  readonly result?: Json;
  readonly askSchema?: JsonObject;
  readonly checkpointToken?: string;
  readonly occurredAt?: string;
  readonly metadata?: JsonObject;
}

export interface ArtifactInput {
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly occurredAt?: string;
}

export interface MessageInput {
  readonly message: Message;
}

export interface CancelInput {
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly mode?: CancelMode;
  readonly graceMs?: number;
  /** Default true. */
  readonly cascade?: boolean;
  /** Only what is below the task, which may have ended; default false. */
  readonly descendantsOnly?: boolean;
}

/** How a dry run is asked for: it writes nothing that a key could stand for. */
export interface PlanOptions extends Pick<WriteOptions, 'ifMatch'> {
  /** The last task of the page before. */
  readonly nodesAfter?: string;
}

/** What an agent says to a cancellation that reached its task. */
export interface AnswerInput {
  readonly note?: string;
}

/** What a write answers: the task as of the command's last revision. */
export interface Written {
  readonly task: Task;
  /**
   * Edge form `<logId>-<20 digits>` of the last event this command appended, now or when its key was first used;
   * absent when it appended nothing.
   */
  readonly position?: string;
  /** An idempotency key was found: nothing was appended now. */
  readonly repeated: boolean;
}

export interface WrittenCancellation extends Written {
  readonly cancellationId: string;
}

/** A message sent over A2A (specification §3.1.1): without `message.taskId` it makes a task. */
export interface SendInput {
  readonly message: Message;
  /** Metadata of the request; kept as the metadata of a task that it makes. */
  readonly metadata?: JsonObject;
}

export interface WrittenMessage extends Written {
  readonly created: boolean;
  /** Revision of this message's own event; waits and streams count from the next one. */
  readonly messageRevision: number;
  /** The content of the task that this send made; absent where it would have to be read. */
  readonly document?: TaskDocument;
}
