import type {
  CancellationLog,
  CancellationScope,
  EventPlace,
  LateLog,
  SettledNode,
  Task,
  WaitingNode,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import type { DecodedEvent } from '../codec/decode.js';
import type { StreamNames } from '../streams.js';

/** A task after a write of the saga. */
export interface Carried {
  readonly task: Task;
  /** Places of the events that this write appended, by revision; empty where there was nothing to append. */
  readonly places: ReadonlyMap<number, EventPlace>;
}

/** What the saga adds to a cancellation's own stream. */
export type CertificateRecord =
  | { readonly kind: 'await'; readonly node: WaitingNode }
  | { readonly kind: 'settle-nodes'; readonly nodes: readonly SettledNode[] }
  | { readonly kind: 'settle'; readonly whole: boolean };

/**
 * What the saga and the timers read and write of the ledger. Folds are current; writes are decided on the stream's
 * newest fold, appended at its exact revision under ids derived from what they mean, and change nothing when done
 * twice. Every call throws what the store throws, after the retries of an ordinary command.
 */
export interface CascadeDesk {
  readonly names: StreamNames;
  /**
   * The newest fold, flagged where it is unreadable. Undefined: there is no such task.
   * @param seen a revision that was seen in the log: the fold is not older, though its own append may not be answered
   */
  task(taskId: string, seen?: number): Promise<Task | undefined>;
  /** The newest fold where it is in memory; undefined says nothing. */
  atHand(taskId: string): Task | undefined;
  late(taskId: string, seen?: number): Promise<LateLog | undefined>;
  cancellation(cancellationId: string, seen?: number): Promise<CancellationLog | undefined>;
  /** One event of any stream, and what it says. */
  event(
    stream: string,
    revision: number,
  ): Promise<{ readonly recorded: RecordedEvent; readonly decoded: DecodedEvent } | undefined>;

  /** Carries a cancellation to a task below: `CarryCancellation`, or `StopOrphan` where the ledger answers an end. */
  carry(
    scope: CancellationScope,
    to: {
      readonly taskId: string;
      readonly cooperative: boolean;
      readonly graceMs?: number;
      /** The event that caused it: the end of the task above. */
      readonly causeId: string;
      /** The fold that the verdict rests on: it spares a second read where the task is not hot any more. */
      readonly known?: Task;
    },
  ): Promise<Carried>;
  /**
   * Announces a child to its parent, beside it where the parent has ended. Nothing where that stands.
   * @param causeId the child's own event that decided for this parent
   */
  announce(child: Task, causeId: string): Promise<void>;
  /** `CancellationOpened`; of `request` and `parentEnd`. */
  open(scope: CancellationScope): Promise<CancellationLog>;
  /** `DescendantsCancellationNoted` beside the root; of `descendants`. */
  note(scope: CancellationScope): Promise<void>;
  record(scope: CancellationScope, record: CertificateRecord): Promise<CancellationLog>;
  /** Id of the cancellation with which the ledger answers this end. */
  parentEndId(taskId: string, endEventId: string): string;

  /** A timer has run out: `ForceCancellation` at a request's `dueAt`, `EndAtDeadline` at a task's deadline. */
  fire(
    taskId: string,
    timer: { readonly kind: 'deadline' } | { readonly kind: 'request'; readonly cancellationId: string },
  ): Promise<void>;
}
