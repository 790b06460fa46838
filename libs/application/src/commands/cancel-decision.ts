import { decide, DomainError, utf8Bytes, type Caller, type Task } from '#domain';
import { appendBytesMax } from '#event-store';
import { requestedBy } from '../identity/metadata.js';
import type { CancelInput } from './inputs.js';

export interface CancelAsked {
  readonly caller: Caller;
  readonly input: CancelInput;
  /** Of the cancellation that this command opens, if it opens one. */
  readonly ownId: string;
}

/** Bytes of an append that a certificate's opening has for everything but what the caller says. */
const openingFactsBytes = 16_384;

/**
 * Reason and metadata stand in two appends, the task's end and the certificate's opening. What would not fit into the
 * second one is refused before the first: else the task would have ended under a certificate that nobody can write.
 */
export const assertFits = ({ reason, metadata }: CancelInput): void => {
  const bytes = utf8Bytes(JSON.stringify({ reason, metadata }));
  if (bytes <= appendBytesMax - openingFactsBytes) return;
  const message = `reason and metadata have ${String(bytes)} bytes`;
  throw new DomainError('payload-too-large', message, { limit: appendBytesMax });
};

/** How a cancel is decided; a dry run is refused what the cancel would be refused. */
export const cancelDecision = ({ caller, input, ownId }: CancelAsked) => {
  const { reason, metadata, mode, graceMs, cascade } = input;
  const asked = {
    cancellationId: ownId,
    requestedBy: requestedBy(caller),
    ...(reason !== undefined && { reason }),
    ...(metadata !== undefined && { metadata }),
    ...(mode !== undefined && { mode }),
    ...(graceMs !== undefined && { graceMs }),
    ...(cascade !== undefined && { cascade }),
  };
  return (task: Task | undefined, at: string) => {
    assertFits(input);
    return decide({ type: 'CancelTask', at, ...asked }, task);
  };
};
