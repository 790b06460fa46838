import { cancellationRequest, invalid, type Caller, type OpenCancellation } from '#domain';
import { permitted } from '../access/rights.js';
import type { Openings } from '../cascade/openings.js';
import type { CommandIdentity } from '../identity/commands.js';
import { metadataOf, requestedBy } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';
import { assertFits } from './cancel-decision.js';
import type { Desk } from './desk.js';
import type { CancelInput, WriteOptions, WrittenCancellation } from './inputs.js';
import { assertRevision, keyReused, knownOf } from './task-write.js';

interface DescendantsAsked extends WriteOptions {
  readonly input: CancelInput;
  readonly identity: CommandIdentity;
}

/** The request for what is below a task, as it is recorded. */
export const descendantsRequest = (caller: Caller, { mode, graceMs, cascade }: CancelInput) => {
  if (cascade === false) throw invalid('cascade', 'must not be false with descendantsOnly');
  return cancellationRequest({
    requestedBy: requestedBy(caller),
    ...(mode !== undefined && { mode }),
    ...(graceMs !== undefined && { graceMs }),
  });
};

/**
 * Cancels what is below a task, and writes nothing on the task itself: the opening of the certificate is the first
 * fact, the note beside the task comes second. Each call is a cancellation of its own, except under its key.
 */
export class DescendantCancels {
  constructor(
    private readonly desk: Desk,
    private readonly streams: CancellationStreams,
    private readonly openings: Openings,
  ) {}

  async cancel(
    caller: Caller,
    taskId: string,
    { input, identity, ifMatch }: DescendantsAsked,
  ): Promise<WrittenCancellation> {
    const { desk } = this;
    const task = permitted(caller, 'cancel', taskId, await desk.newest(taskId));
    // On the task the key could only stand for another request.
    knownOf(task, identity);
    assertFits(input);
    const request = descendantsRequest(caller, input);
    const cancellationId = this.#id(identity);
    if (!(await this.#isOpen(identity))) assertRevision(task, ifMatch);
    const { reason, metadata } = input;
    const at = desk.now();
    const command: OpenCancellation = {
      type: 'OpenCancellation',
      at,
      cancellationId,
      rootTaskId: taskId,
      requestedAt: at,
      request,
      descendantsOnly: true,
      ...(reason !== undefined && { reason }),
      ...(metadata !== undefined && { metadata }),
    };
    const by = metadataOf(caller, identity, task, cancellationId);
    const isNew = identity.requestHash === undefined;
    const { position, repeated } = await this.streams.openWith(command, by, { identity, isNew });
    const noted = await this.openings.note(cancellationId, taskId, at);
    return { task, cancellationId, repeated, ...desk.edge(noted ?? position) };
  }

  /** A key that was used for the descendants stands on no task: it is looked up here. */
  async assertKeyUnused(taskId: string, identity: CommandIdentity): Promise<void> {
    if (await this.#isOpen(identity)) throw keyReused(taskId);
  }

  async #isOpen(identity: CommandIdentity): Promise<boolean> {
    if (identity.requestHash === undefined) return false;
    return (await this.streams.load(this.#id(identity))) !== undefined;
  }

  #id({ commandId, requestHash }: CommandIdentity): string {
    return requestHash === undefined
      ? this.desk.ids.uuid()
      : nameBasedUuid(['descendants', this.desk.logId, commandId]);
  }
}
