import { decide, DomainError, type Caller } from '#domain';
import type { TaskEvents } from '../sides/root-events.js';
import type { Desk } from './desk.js';
import type { AnswerInput, WriteOptions, WrittenCancellation } from './inputs.js';
import type { WriteOutcome } from './task-write.js';

/** The agent will not stop: for this cancellation the task, and what is below it, is shielded for ever. */
export class Declines {
  constructor(
    private readonly desk: Desk,
    private readonly events: TaskEvents,
  ) {}

  async decline(
    caller: Caller,
    taskId: string,
    { note }: AnswerInput,
    options: WriteOptions,
  ): Promise<WrittenCancellation> {
    const { desk } = this;
    const said = note === undefined ? {} : { note };
    const scope = desk.scope(caller, 'decline', taskId);
    const identity = desk.identify(scope, options.idempotencyKey, said);
    const outcome = await desk.writer.write({
      taskId,
      caller,
      deed: 'decline',
      identity,
      ...(options.ifMatch !== undefined && { ifMatch: options.ifMatch }),
      decide: (task, at) => decide({ type: 'DeclineCancellation', at, ...said }, task),
    });
    const cancellationId = await this.#declined(outcome, taskId);
    return { ...(await desk.answer(outcome)), cancellationId };
  }

  /** The request that was declined stands open no more: its id is in the event, now or of the first time. */
  async #declined({ fold, changes, known }: WriteOutcome, taskId: string): Promise<string> {
    const revision = known?.revision ?? changes.at(-1)?.event.revision ?? -1;
    const event = await this.events.at(taskId, revision, fold);
    if (event?.type === 'CancellationDeclined') return event.data.cancellationId;
    throw new DomainError('unavailable', `revision ${revision} of task ${taskId} declines nothing`);
  }
}
