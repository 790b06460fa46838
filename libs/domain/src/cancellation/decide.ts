import { plain } from '../content.js';
import { DomainError } from '../errors.js';
import { defined } from '../json.js';
import { later } from '../time.js';
import type { CancellationCommand, NoteRepeat, OpenCancellation } from './commands.js';
import { awaitNode, settleCancellation, settleNodes } from './decide/nodes.js';
import { acknowledgeWorker, noteLateWrite, notifyWorkers } from './decide/workers.js';
import type { CancellationEvent } from './events.js';
import { applyFact, type CancellationFact } from './evolve.js';
import type { CancellationLog } from './log.js';
import { openWorkers } from './worker.js';

/** Repeats that a cancellation keeps, the first ones. */
export const cancellationRepeatsMax = 100;

/** Whoever comes second finds it open: there is one certificate. */
const open = (command: OpenCancellation, log: CancellationLog | undefined): readonly CancellationEvent[] => {
  if (log !== undefined) return [];
  const { reason, metadata, type: _type, ...facts } = command;
  return [{ type: 'CancellationOpened', data: { ...facts, content: plain(defined({ reason, metadata })) } }];
};

const noteRepeat = (command: NoteRepeat, at: string, log: CancellationLog): readonly CancellationFact[] => {
  const isNoted = log.repeats.some(({ eventId }) => eventId === command.eventId);
  if (isNoted || log.repeats.length >= cancellationRepeatsMax) return [];
  const { taskId, by, reason, metadata } = command;
  return [
    { type: 'CancellationRepeated', data: { at, taskId, by, content: plain(defined({ reason, metadata })) } },
  ];
};

const factsOf = (
  command: Exclude<CancellationCommand, OpenCancellation>,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  switch (command.type) {
    case 'NoteRepeat':
      return noteRepeat(command, at, log);
    case 'AwaitNode':
      return awaitNode(command, at, log);
    case 'SettleNodes':
      return settleNodes(command, at, log);
    case 'SettleCancellation':
      return settleCancellation(command, at, log);
    case 'NotifyWorkers':
      return notifyWorkers(command, at, log);
    case 'AcknowledgeWorker':
      return acknowledgeWorker(command, at, log);
    case 'NoteLateWrite':
      return noteLateWrite(command, at, log);
  }
};

/** Lines reopen a certificate; what says that it is settled, or closes a worker, may be all that was missing. */
const mayConfirm: ReadonlySet<string> = new Set(['CancellationSettled', 'WorkerAcknowledged']);

/** What completes a certificate confirms it in the same append. */
const withConfirmation = (
  facts: readonly CancellationFact[],
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  const last = facts.at(-1);
  if (last === undefined || !mayConfirm.has(last.type)) return facts;
  const after = applyFact(log, last, '');
  const isComplete = after.status === 'settled' && openWorkers(after) === 0;
  return isComplete ? [...facts, { type: 'CancellationConfirmed', data: { at } }] : facts;
};

/**
 * What a command adds to a cancellation's own stream, in one append; nothing where it stands there already.
 * @throws DomainError `cancellation-not-found` where it is not opened
 */
export const decideCancellation = (
  command: CancellationCommand,
  log: CancellationLog | undefined,
): readonly CancellationEvent[] => {
  if (command.type === 'OpenCancellation') return open(command, log);
  if (log === undefined) throw new DomainError('cancellation-not-found', 'no such cancellation');
  const at = later(command.at, log.updatedAt);
  return withConfirmation(factsOf(command, at, log), at, log);
};
