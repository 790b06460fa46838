import { DomainError, factsOf, type Caller, type ChangeState, type RecordArtifact, type Task } from '#domain';
import type { Position } from '#event-store';
import { permitted } from '../access/rights.js';
import type { Openings } from '../cascade/openings.js';
import type { CommandIdentity } from '../identity/commands.js';
import { requestedBy } from '../identity/metadata.js';
import type { LedgerLogger } from '../ports/telemetry.js';
import type { CancellationOutcome, CancellationStreams } from '../sides/cancellation-streams.js';
import type { Desk } from './desk.js';
import type { AnswerInput, WriteOptions, WrittenCancellation } from './inputs.js';
import { assertRevision } from './task-write.js';

export interface WorkerParts {
  readonly desk: Desk;
  readonly streams: CancellationStreams;
  readonly openings: Openings;
  readonly logger: LedgerLogger;
}

/** The cancellation that has ended this task, or asks it to stop. */
const cancellationOn = ({ end, openCancellation }: Task): string | undefined =>
  end === undefined ? openCancellation?.cancellationId : end.cancellationId;

const notCancelled = (taskId: string): DomainError => {
  const message = `no cancellation has ended task ${taskId} or is open on it`;
  return new DomainError('cancellation-not-found', message, { taskId });
};

/** Cancellations of one task that a key is looked for in; one that is older was answered long ago. */
const looksMax = 8;

/** Those that have come to this task, the newest first. */
const lookedAt = (task: Task): readonly string[] => {
  const requests = factsOf(task.requests).sort(([, one], [, other]) => other.revision - one.revision);
  const ids = [cancellationOn(task) ?? [], ...requests.map(([cancellationId]) => cancellationId)].flat();
  return [...new Set(ids)].slice(0, looksMax);
};

/** What a cancellation's certificate learns of the workers behind its tasks. */
export class Workers {
  constructor(private readonly parts: WorkerParts) {}

  /**
   * The agent knows that it has to stop.
   * @throws DomainError `cancellation-not-found`: no cancellation has ended this task or is open on it
   */
  async acknowledge(
    caller: Caller,
    taskId: string,
    { note }: AnswerInput,
    options: WriteOptions,
  ): Promise<WrittenCancellation> {
    const { desk } = this.parts;
    const said = note === undefined ? {} : { note };
    const scope = desk.scope(caller, 'acknowledge', taskId);
    const identity = desk.identify(scope, options.idempotencyKey, said);
    const task = permitted(caller, 'acknowledge', taskId, await desk.newest(taskId));
    const repeatedOf = await this.#acknowledged(identity, task);
    if (repeatedOf === undefined) assertRevision(task, options.ifMatch);
    const cancellationId = repeatedOf ?? cancellationOn(task);
    if (cancellationId === undefined) throw notCancelled(taskId);
    const { position, repeated } = await this.#acknowledge(caller, identity, task, cancellationId, said);
    return { task, cancellationId, repeated, ...desk.edge(position) };
  }

  /**
   * `canceled`, reported of a task that is canceled already: it counts as the acknowledgement. Store position of what
   * that appended, now or when its key was first used.
   */
  async reportedCanceled(
    caller: Caller,
    identity: CommandIdentity,
    task: Task,
  ): Promise<Position | undefined> {
    const { cancellationId } = task.end ?? {};
    if (cancellationId === undefined) return undefined;
    return (await this.#acknowledge(caller, identity, task, cancellationId, {})).position;
  }

  /** A write was refused because a cancellation had ended the task. Its refusal is the answer, whatever happens here. */
  async wroteLate(
    caller: Caller,
    identity: CommandIdentity,
    task: Task,
    { type }: ChangeState | RecordArtifact,
  ): Promise<void> {
    const { cancellationId } = task.end ?? {};
    if (cancellationId === undefined) return;
    const { taskId } = task;
    const attempted = type === 'ChangeState' ? 'transition' : 'artifact';
    const { principal } = caller;
    const { desk, streams, logger } = this.parts;
    try {
      await this.#opened(cancellationId, task);
      const command = { type: 'NoteLateWrite', at: desk.now(), taskId, principal, attempted } as const;
      await streams.addAs({ caller, identity, taskId }, cancellationId, command);
    } catch (error) {
      logger.warn({ err: error, taskId, cancellationId }, 'a late write is not on the certificate');
    }
  }

  /** The cancellation that was acknowledged under this key before; the task may have gone on since. */
  async #acknowledged(identity: CommandIdentity, task: Task): Promise<string | undefined> {
    if (identity.requestHash === undefined) return undefined;
    for (const cancellationId of lookedAt(task))
      if (await this.parts.streams.knows(cancellationId, task.taskId, identity)) return cancellationId;
    return undefined;
  }

  async #acknowledge(
    caller: Caller,
    identity: CommandIdentity,
    task: Task,
    cancellationId: string,
    said: AnswerInput,
  ): Promise<CancellationOutcome> {
    await this.#opened(cancellationId, task);
    const { taskId } = task;
    const by = requestedBy(caller);
    const at = this.parts.desk.now();
    const command = { type: 'AcknowledgeWorker', at, taskId, by, ...said } as const;
    return this.parts.streams.addAs({ caller, identity, taskId }, cancellationId, command);
  }

  async #opened(cancellationId: string, task: Task): Promise<void> {
    const log = await this.parts.openings.of(cancellationId, task);
    if (log === undefined)
      throw new DomainError('unavailable', `cancellation ${cancellationId} cannot be opened yet`);
  }
}
