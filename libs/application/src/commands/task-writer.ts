import {
  assertReadable,
  evolve,
  isTerminal,
  type EventMetadata,
  type RecordedTaskEvent,
  type Task,
  type TaskEvent,
} from '#domain';
import { OutcomeUnknownError, WrongExpectedRevisionError, type RecordedEvent } from '#event-store';
import { permitted, taskNotFound } from '../access/rights.js';
import type { TaskChange } from '../application.js';
import { encodeAppend, type EncodedAppend } from '../codec/encode.js';
import type { Fold, HotFolds } from '../folds/hot-folds.js';
import type { SeenRevisions } from '../folds/seen-revisions.js';
import type { TaskLoader } from '../folds/task-loader.js';
import { correlationOf, metadataOf } from '../identity/metadata.js';
import { stampOf, type Stamp } from '../identity/stamp.js';
import type { Clock, Ids } from '../ports/clock.js';
import type { LedgerMetrics } from '../ports/telemetry.js';
import { jitter, type Appender } from '../store/appender.js';
import { unavailable } from '../store/failures.js';
import type { StreamQueues } from '../store/stream-queues.js';
import type { StreamNames } from '../streams.js';
import { assertRevision, isSystemWrite, knownOf, type TaskWrite, type WriteOutcome } from './task-write.js';

/** Decisions that one command may take anew because somebody else wrote first. */
export const decisionsMax = 32;

export interface WriterParts {
  readonly loader: TaskLoader;
  readonly hot: HotFolds;
  readonly queues: StreamQueues;
  readonly appender: Appender;
  readonly names: StreamNames;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: LedgerMetrics;
  /** The newest revisions that this process knows of, where others write too. */
  readonly seen?: SeenRevisions;
  /** No other process writes to this log: a hot fold is the truth and nothing decided on it needs a second look. */
  readonly soleWriter: boolean;
  /** Tells whoever watches the task's stream. */
  readonly appended: (stream: string, revision: number, position: string) => void;
}

/** What a decision rests on. */
interface Basis {
  readonly fold: Fold | undefined;
  /** Read from the log for this very decision, or the only process that writes made it. */
  readonly certain: boolean;
}

type Decision =
  | { readonly kind: 'append'; readonly events: readonly TaskEvent[] }
  | { readonly kind: 'done'; readonly outcome: WriteOutcome }
  /**
   * Nothing would be appended, on a fold that another process may have overtaken. `at`: the revision whose position
   * the answer needs.
   */
  | { readonly kind: 'look-again'; readonly at?: number };

/** Load, decide, append at the exact revision; again when somebody else was faster. One command a stream at a time. */
export class TaskWriter {
  constructor(private readonly parts: WriterParts) {}

  /** @throws DomainError what refuses the command; store errors as the port throws them */
  write(write: TaskWrite): Promise<WriteOutcome> {
    return this.parts.queues.run(this.parts.names.task(write.taskId), () => this.#run(write));
  }

  /** The task as it stands, unscoped: for whoever has checked the rights already. */
  async look(taskId: string): Promise<Task> {
    const fold = await this.parts.loader.current(taskId);
    if (fold === undefined) throw taskNotFound(taskId);
    return fold.task;
  }

  async #run(write: TaskWrite): Promise<WriteOutcome> {
    let basis = await this.#begin(write);
    const attempted = new Set<string>();
    for (let conflicts = 0; ;) {
      const decision = this.#decide(write, basis);
      if (decision.kind === 'done') return decision.outcome;
      if (decision.kind === 'look-again') {
        basis = { fold: await this.parts.loader.fromStore(write.taskId, decision.at), certain: true };
        continue;
      }
      const outcome = await this.#append(write, basis.fold, decision.events, attempted);
      if (outcome !== 'conflict') return outcome;
      if (conflicts >= decisionsMax) throw unavailable(`too many write to task ${write.taskId} at once`);
      await jitter(this.parts.ids, conflicts);
      conflicts += 1;
      const found = await this.#reload(write, basis.fold, attempted);
      if ('changes' in found) return found;
      basis = found;
    }
  }

  /** A create asks nothing: *no stream* finds out whether the task exists. */
  async #begin(write: TaskWrite): Promise<Basis> {
    const { hot, loader, soleWriter } = this.parts;
    const { taskId } = write;
    const fold = hot.get(taskId);
    if (fold !== undefined) return { fold, certain: soleWriter || isTerminal(fold.task.state) };
    if (isSystemWrite(write)) {
      if (write.known !== undefined) return { fold: { task: write.known, tail: [] }, certain: false };
    } else if (write.creates !== undefined) return { fold: undefined, certain: true };
    return { fold: await loader.fromStore(taskId), certain: true };
  }

  #decide(write: TaskWrite, { fold, certain }: Basis): Decision {
    try {
      const known = this.#known(write, fold);
      if (known !== undefined) return asNow(write, known, certain);
      const events = write.decide(fold?.task, new Date(this.parts.clock.now()).toISOString());
      if (events.length > 0) return { kind: 'append', events };
    } catch (error) {
      if (!certain) return { kind: 'look-again' };
      throw error;
    }
    if (!certain) return { kind: 'look-again' };
    if (fold === undefined) throw taskNotFound(write.taskId);
    return { kind: 'done', outcome: { fold, changes: [] } };
  }

  /** Rights first, then a known key, and only then what the write demands of the task. */
  #known(write: TaskWrite, fold: Fold | undefined): WriteOutcome | undefined {
    if (isSystemWrite(write)) {
      if (fold !== undefined) assertReadable(fold.task);
      return undefined;
    }
    if (fold === undefined && write.creates !== undefined) return undefined;
    permitted(write.caller, write.deed, write.taskId, fold?.task);
    if (fold === undefined) return undefined;
    assertReadable(fold.task);
    const known = knownOf(fold.task, write.identity);
    if (known !== undefined) return { fold, changes: [], known };
    assertRevision(fold.task, write.ifMatch);
    return undefined;
  }

  async #append(
    write: TaskWrite,
    fold: Fold | undefined,
    events: readonly TaskEvent[],
    attempted: Set<string>,
  ): Promise<WriteOutcome | 'conflict'> {
    const { hot, appender, names } = this.parts;
    const { taskId } = write;
    const { encoded, metadata } = this.#encode(write, fold?.task, events);
    const stream = names.task(taskId);
    hot.beginAppend(taskId);
    try {
      const stored = await appender.append(stream, encoded.events, fold?.task.revision ?? 'none');
      const changes = changesOf(fold?.task, events, encoded, metadata);
      hot.advance(taskId, changes);
      this.parts.seen?.see(taskId, stored.revision);
      this.parts.appended(stream, stored.revision, stored.position);
      return outcomeOf(fold, changes, stored.position);
    } catch (error) {
      hot.drop(taskId);
      if (!(error instanceof WrongExpectedRevisionError) && !(error instanceof OutcomeUnknownError))
        throw error;
      const { actual } = error instanceof WrongExpectedRevisionError ? error : { actual: 'none' };
      if (typeof actual === 'number') this.parts.seen?.see(taskId, actual);
      this.parts.metrics.conflict();
      for (const { id } of encoded.events) attempted.add(id);
      return 'conflict';
    } finally {
      hot.endAppend(taskId);
    }
  }

  #encode(write: TaskWrite, task: Task | undefined, events: readonly TaskEvent[]) {
    const stamp = stampFor(write, task, events);
    const eventId = write.eventId ?? (() => this.parts.ids.uuid());
    return { metadata: stamp.metadata, encoded: encodeAppend(events, stamp, eventId) };
  }

  /**
   * After a conflict or an unknown outcome: the fold as it is now. Our own events among those since the decision mean
   * that it was done, and its answer lost (C36); the task is answered as of them.
   */
  async #reload(
    write: TaskWrite,
    before: Fold | undefined,
    attempted: ReadonlySet<string>,
  ): Promise<Basis | WriteOutcome> {
    const { taskId } = write;
    const own: RecordedEvent[] = [];
    const visit = (recorded: RecordedEvent): void => {
      if (attempted.has(recorded.id)) own.push(recorded);
    };
    // A create that was repeated finds the first attempt at the start of the stream.
    const at = before === undefined ? { at: 0 } : {};
    const fold = await this.parts.loader.goOn(taskId, before?.task, { visit, ...at });
    const last = own.at(-1);
    if (last === undefined) return { fold, certain: true };
    const done = await this.parts.loader.foldTo(taskId, last.revision);
    if (done === undefined) throw taskNotFound(taskId);
    const changes = done.tail.filter(({ event }) => attempted.has(event.id));
    this.parts.appended(this.parts.names.task(taskId), last.revision, last.position);
    return { fold: { task: done.task, tail: changes }, changes, position: last.position };
  }
}

/** A key that stands in a fold was used: only what the task has come to since may have to be looked for. */
const asNow = (write: TaskWrite, outcome: WriteOutcome, certain: boolean): Decision => {
  if (isSystemWrite(write) || write.answersNow !== true) return { kind: 'done', outcome };
  if (!certain && outcome.known !== undefined) return { kind: 'look-again', at: outcome.known.revision };
  const { position } = outcome.fold;
  return { kind: 'done', outcome: { ...outcome, ...(position !== undefined && { position }) } };
};

const stampFor = (write: TaskWrite, task: Task | undefined, events: readonly TaskEvent[]): Stamp => {
  if (isSystemWrite(write)) {
    if (task === undefined) throw taskNotFound(write.taskId);
    return write.stamp(task);
  }
  const owned = write.creates ?? task;
  if (owned === undefined) throw taskNotFound(write.taskId);
  return stampOf(metadataOf(write.caller, write.identity, owned, correlationOf(task, events)));
};

/** The events of an append as they stand in the stream now, and the task as of each. */
const changesOf = (
  before: Task | undefined,
  events: readonly TaskEvent[],
  { events: stored, bytes }: EncodedAppend,
  metadata: EventMetadata,
): readonly TaskChange[] => {
  const first = (before?.revision ?? -1) + 1;
  const changes: TaskChange[] = [];
  let task = before;
  for (const [index, event] of events.entries()) {
    const recorded = {
      type: event.type,
      data: event.data,
      revision: first + index,
      id: stored[index]?.id ?? '',
      metadata,
      bytes: bytes[index] ?? 0,
    } as RecordedTaskEvent;
    task = evolve(task, recorded);
    changes.push({ event: recorded, task });
  }
  return changes;
};

const outcomeOf = (
  before: Fold | undefined,
  changes: readonly TaskChange[],
  position: string,
): WriteOutcome => {
  const task = changes.at(-1)?.task ?? before?.task;
  if (task === undefined) throw new Error('an append without events has no outcome');
  return { fold: { task, tail: changes }, changes, position };
};
