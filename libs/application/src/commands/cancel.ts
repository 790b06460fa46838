import { DomainError, rootRevisionOf, type Caller, type CancelMode, type Task } from '#domain';
import type { Position } from '#event-store';
import type { Openings } from '../cascade/openings.js';
import type { CommandIdentity } from '../identity/commands.js';
import { nameBasedUuid } from '../identity/name-based.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';
import type { TaskEvents } from '../sides/root-events.js';
import { cancelDecision, type CancelAsked } from './cancel-decision.js';
import type { DescendantCancels } from './cancel-descendants.js';
import type { Desk } from './desk.js';
import type { CancelInput, WriteOptions, WrittenCancellation } from './inputs.js';
import type { WriteOutcome } from './task-write.js';

export interface CancelParts {
  readonly desk: Desk;
  readonly streams: CancellationStreams;
  readonly events: TaskEvents;
  readonly openings: Openings;
  readonly descendants: DescendantCancels;
  /** Of a cancel that does not say. */
  readonly defaultMode: CancelMode;
}

interface Asked extends CancelAsked {
  readonly identity: CommandIdentity;
}

/** Cancels one task, and sees to it that the cancellation can be read before its id is given out. */
export class Cancels {
  constructor(private readonly parts: CancelParts) {}

  async cancel(
    caller: Caller,
    taskId: string,
    { descendantsOnly = false, ...input }: CancelInput,
    options: WriteOptions,
  ): Promise<WrittenCancellation> {
    const { desk, descendants } = this.parts;
    const scope = desk.scope(caller, 'cancel', taskId);
    const hashed = descendantsOnly ? { ...input, descendantsOnly } : input;
    const identity = desk.identify(scope, options.idempotencyKey, hashed);
    const modal = { ...input, mode: input.mode ?? this.parts.defaultMode };
    if (descendantsOnly) return descendants.cancel(caller, taskId, { input: modal, identity, ...options });
    await descendants.assertKeyUnused(taskId, identity);
    return this.#cancel(taskId, { caller, identity, input: modal, ownId: this.#newId(identity) }, options);
  }

  async #cancel(taskId: string, asked: Asked, options: WriteOptions): Promise<WrittenCancellation> {
    const { desk } = this.parts;
    const { caller, identity } = asked;
    const outcome = await desk.writer.write({
      taskId,
      caller,
      deed: 'cancel',
      identity,
      ...(options.ifMatch !== undefined && { ifMatch: options.ifMatch }),
      decide: cancelDecision(asked),
    });
    const task = await desk.taskOf(outcome);
    const { cancellationId } = task;
    if (cancellationId === undefined)
      throw new DomainError('unavailable', `task ${taskId} names no cancellation`);
    const noted = await this.#note(outcome, task, cancellationId, asked);
    return { task, ...(await desk.place(outcome, noted)), cancellationId };
  }

  #newId({ commandId, requestHash }: CommandIdentity): string {
    const { ids, logId } = this.parts.desk;
    return requestHash === undefined ? ids.uuid() : nameBasedUuid(['cancellation', logId, commandId]);
  }

  /** Opens the certificate (again, if a crash came in between), and notes a cancel that came second. */
  async #note(
    outcome: WriteOutcome,
    task: Task,
    cancellationId: string,
    { caller, identity, input, ownId }: Asked,
  ): Promise<Position | undefined> {
    const opened = await this.#open(outcome, task, cancellationId);
    if (cancellationId === ownId) return opened;
    const { reason, metadata } = input;
    const said = { ...(reason !== undefined && { reason }), ...(metadata !== undefined && { metadata }) };
    const repeat = { caller, identity, at: this.parts.desk.now(), taskId: task.taskId, ...said };
    return (await this.parts.streams.noteRepeat(cancellationId, repeat)).position ?? opened;
  }

  async #open(
    { fold, changes }: WriteOutcome,
    task: Task,
    cancellationId: string,
  ): Promise<Position | undefined> {
    const { events, streams, openings } = this.parts;
    const revision = rootRevisionOf(task, cancellationId);
    if (revision === undefined) {
      await openings.of(cancellationId, task);
      return undefined;
    }
    const root = await events.root(task.taskId, revision, fold);
    return (await streams.open(task.taskId, root, changes.length > 0)).position;
  }
}
