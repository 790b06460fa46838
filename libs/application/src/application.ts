import type { Certificate, TaskCancellation } from './cancellations/certificate.js';
import type {
  Caller,
  JsonObject,
  LateEvent,
  LedgerRow,
  RecordedTaskEvent,
  Task,
  TaskDocument,
} from '#domain';
import type {
  AnswerInput,
  ArtifactInput,
  CancelInput,
  CreateTaskInput,
  LinkInput,
  MessageInput,
  PlanOptions,
  SendInput,
  TransitionInput,
  WriteOptions,
  Written,
  WrittenCancellation,
  WrittenMessage,
} from './commands/inputs.js';
import type { CancellationPlan } from './planning/cancellation-plan.js';

/** Everything that writes. Every refusal is a DomainError; nothing refused leaves a trace in the task. */
export interface TaskCommands {
  create(caller: Caller, input: CreateTaskInput, options?: WriteOptions): Promise<Written>;
  send(caller: Caller, input: SendInput, options?: WriteOptions): Promise<WrittenMessage>;
  transition(
    caller: Caller,
    taskId: string,
    input: TransitionInput,
    options?: WriteOptions,
  ): Promise<Written>;
  recordArtifact(
    caller: Caller,
    taskId: string,
    input: ArtifactInput,
    options?: WriteOptions,
  ): Promise<Written>;
  recordMessage(
    caller: Caller,
    taskId: string,
    input: MessageInput,
    options?: WriteOptions,
  ): Promise<Written>;
  /** Makes an existing task the child of `parentTaskId`. Answers the child. */
  adopt(caller: Caller, parentTaskId: string, child: LinkInput, options?: WriteOptions): Promise<Written>;
  cancel(
    caller: Caller,
    taskId: string,
    input: CancelInput,
    options?: WriteOptions,
  ): Promise<WrittenCancellation>;
  /** What that cancel would do now, refused with what it would be refused with. Writes nothing. */
  planCancellation(
    caller: Caller,
    taskId: string,
    input: CancelInput,
    options?: PlanOptions,
  ): Promise<CancellationPlan>;
  /** The agent knows that a cancellation has come to its task. */
  acknowledge(
    caller: Caller,
    taskId: string,
    input: AnswerInput,
    options?: WriteOptions,
  ): Promise<WrittenCancellation>;
  /** The agent will not stop: closes the request that is open. */
  decline(
    caller: Caller,
    taskId: string,
    input: AnswerInput,
    options?: WriteOptions,
  ): Promise<WrittenCancellation>;
}

/** Which page of a cancellation's nodes, at most 1,000: those after this task. */
export interface NodesPage {
  readonly nodesAfter?: string;
}

/** A task and its content at one revision. */
export interface TaskView {
  readonly task: Task;
  readonly document: TaskDocument;
  /** The log could not be asked: this is the newest snapshot. */
  readonly stale?: boolean;
}

/** The row of a task. */
export interface RowView {
  readonly row: LedgerRow;
  /** The log could not be asked: this is the newest snapshot. */
  readonly stale?: boolean;
}

/** An event as the ledger API shows it. `data` as stored. */
export interface EventFrame {
  readonly position: string;
  readonly stream: string;
  readonly taskId?: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly occurredAt?: string;
  readonly data: unknown;
  readonly metadata: unknown;
}

export interface EventPage {
  readonly events: readonly EventFrame[];
  /** Revision to go on from; absent on the last page. */
  readonly next?: number;
}

export interface TimelineEntry {
  readonly revision: number;
  readonly at: string;
  readonly occurredAt?: string;
  readonly kind: 'message' | 'artifact' | 'transition' | 'cancellation' | 'link';
  readonly actor: { readonly principal: string; readonly role: string; readonly via: string };
  readonly [more: string]: unknown;
}

export interface WhyStep {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly principal: string;
  readonly via: string;
  readonly reason?: string;
}

/** Everything that reads one task from its own stream: always current, and scoped to the caller. */
export interface TaskReader {
  /** `messages`: most history entries to load; default 100. */
  read(caller: Caller, taskId: string, options?: { messages?: number }): Promise<TaskView>;
  /** The row of a task, its `result` included. */
  row(caller: Caller, taskId: string): Promise<RowView>;
  /** The row that a write answers, folded to that write's last revision. */
  rowOf(written: Written): Promise<LedgerRow>;
  /** Folds to a revision, or to the last event whose `at` is not later. Default: the last revision. */
  replay(
    caller: Caller,
    taskId: string,
    until?: { revision: number } | { at: string },
  ): Promise<TaskView & { readonly at: string }>;
  events(
    caller: Caller,
    taskId: string,
    page: { from?: number; limit: number; direction: 'forwards' | 'backwards' },
  ): Promise<EventPage>;
  late(caller: Caller, taskId: string): Promise<readonly LateUpdate[]>;
  timeline(
    caller: Caller,
    taskId: string,
    page: { after?: number; afterMessage?: string; limit: number },
  ): Promise<{ readonly entries: readonly TimelineEntry[]; readonly next?: number }>;
  why(caller: Caller, taskId: string): Promise<readonly WhyStep[]>;
}

export type LateUpdate = Extract<LateEvent, { type: 'LateUpdateRefused' }>['data'] & {
  readonly position: string;
  readonly metadata: JsonObject;
};

/** One event of a watched task, and the task as of it. */
export interface TaskChange {
  readonly event: RecordedTaskEvent;
  readonly task: Task;
}

export interface LiveTasks {
  /**
   * Every event of the task after `revision`, in order, exactly once, as it is appended. Ends after the terminal
   * event, and when the signal fires. Memory is bounded: a slow consumer is served from the log.
   * @param to who watches: an agent that was handed the word of a cancellation counts as notified
   */
  watch(taskId: string, revision: number, signal: AbortSignal, to?: Caller): AsyncIterable<TaskChange>;
  /** Waits until `until` holds for a change after `revision`, or the time is over. Milliseconds. */
  waitFor(
    taskId: string,
    revision: number,
    until: (change: TaskChange) => boolean,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<void>;
  /** Every event of the caller's scope after a position, for feeds. */
  feed(
    caller: Caller,
    options: { from: string | 'start' | 'end'; types?: readonly string[]; signal: AbortSignal },
  ): AsyncIterable<readonly EventFrame[]>;
  /** Frames that were handed to a caller some other way: an agent counts as notified of the cancellations in them. */
  sent(to: Caller, frames: readonly EventFrame[]): void;
  /** Watches, waits and feeds that are open now. */
  readonly open: number;
}

/** Reads what a cancellation has come to. */
export interface CancellationReader {
  /** @throws DomainError `cancellation-not-found`, also for what the caller may not see */
  get(caller: Caller, cancellationId: string, page?: NodesPage): Promise<Certificate>;
  /** Waits until every outcome is final (or every worker closed), or the time is over. Milliseconds. */
  wait(
    caller: Caller,
    cancellationId: string,
    until: 'settled' | 'confirmed',
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<void>;
  /** Every cancellation that has come to a task, the oldest first. */
  ofTask(caller: Caller, taskId: string): Promise<readonly TaskCancellation[]>;
}
