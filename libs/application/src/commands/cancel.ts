import { decide, DomainError, utf8Bytes, type Caller, type Task } from '#domain';
import { appendBytesMax } from '#event-store';
import type { CommandIdentity } from '../identity/commands.js';
import { nameBasedUuid } from '../identity/name-based.js';
import { isRootEvent, type CancellationStreams, type RootEvent } from './cancellation-streams.js';
import type { Desk } from './desk.js';
import type { CancelInput, WriteOptions, WrittenCancellation } from './inputs.js';
import type { WriteOutcome } from './task-writer.js';

/** Bytes of an append that a certificate's opening has for everything but what the caller says. */
const openingFactsBytes = 16_384;

/**
 * Reason and metadata stand in two appends, the task's end and the certificate's opening. What would not fit into the
 * second one is refused before the first: else the task would have ended under a certificate that nobody can write.
 */
const assertFits = ({ reason, metadata }: CancelInput): void => {
  const bytes = utf8Bytes(JSON.stringify({ reason, metadata }));
  if (bytes <= appendBytesMax - openingFactsBytes) return;
  const message = `reason and metadata have ${String(bytes)} bytes`;
  throw new DomainError('payload-too-large', message, { limit: appendBytesMax });
};

/** Cancels one task, and sees to it that the cancellation can be read before its id is given out. */
export class Cancels {
  constructor(
    private readonly desk: Desk,
    private readonly streams: CancellationStreams,
  ) {}

  async cancel(
    caller: Caller,
    taskId: string,
    input: CancelInput,
    options: WriteOptions,
  ): Promise<WrittenCancellation> {
    const scope = this.desk.scope(caller, 'cancel', taskId);
    const identity = this.desk.identify(scope, options.idempotencyKey, input);
    const outcome = await this.desk.writer.write({
      taskId,
      caller,
      deed: 'cancel',
      identity,
      ...(options.ifMatch !== undefined && { ifMatch: options.ifMatch }),
      decide: this.#decision(caller, input, this.#newId(identity)),
    });
    const task = await this.desk.taskOf(outcome);
    const { cancellationId } = task;
    if (cancellationId === undefined)
      throw new DomainError('unavailable', `task ${taskId} names no cancellation`);
    const noted = await this.#note(outcome, task, { caller, identity, input, cancellationId });
    return { task, ...(await this.desk.place(outcome, noted)), cancellationId };
  }

  #newId({ commandId, requestHash }: CommandIdentity): string {
    return requestHash === undefined
      ? this.desk.ids.uuid()
      : nameBasedUuid(['cancellation', this.desk.logId, commandId]);
  }

  #decision(caller: Caller, input: CancelInput, cancellationId: string) {
    const { principal, role, via, requestId } = caller;
    const requestedBy = { principal, role, via, ...(requestId !== undefined && { requestId }) };
    return (task: Task | undefined, at: string) => {
      assertFits(input);
      return decide({ type: 'CancelTask', at, cancellationId, requestedBy, ...input }, task);
    };
  }

  /** Opens the certificate (again, if a crash came in between), and notes a cancel that came second. */
  async #note(
    outcome: WriteOutcome,
    task: Task,
    asked: { caller: Caller; identity: CommandIdentity; input: CancelInput; cancellationId: string },
  ): Promise<string | undefined> {
    const root = await this.#rootEvent(outcome, task);
    const opened = root.data.stoppedBy === 'parent' ? undefined : await this.streams.open(task.taskId, root);
    if (outcome.changes.length > 0 || outcome.known !== undefined) return opened;
    const { caller, identity, input, cancellationId } = asked;
    const { reason, metadata } = input;
    const said = { ...(reason !== undefined && { reason }), ...(metadata !== undefined && { metadata }) };
    const repeat = { caller, identity, at: this.desk.now(), taskId: task.taskId, ...said };
    return (await this.streams.noteRepeat(cancellationId, root, repeat)) ?? opened;
  }

  #rootEvent({ fold }: WriteOutcome, task: Task): Promise<RootEvent> {
    const kept = fold.tail.find(({ event }) => event.revision === task.statusRevision)?.event;
    if (kept !== undefined && isRootEvent(kept)) return Promise.resolve(kept);
    return this.streams.rootEvent(task.taskId, task.statusRevision);
  }
}
