import { plain } from '../content.js';
import { DomainError } from '../errors.js';
import { defined } from '../json.js';
import { later } from '../time.js';
import type { CancellationCommand, NoteRepeat, OpenCancellation } from './commands.js';
import type { CancellationEvent } from './events.js';
import type { CancellationLog } from './log.js';

/** Repeats that a cancellation keeps, the first ones. */
export const cancellationRepeatsMax = 100;

/** Whoever comes second finds it open: there is one certificate. */
const open = (command: OpenCancellation, log: CancellationLog | undefined): readonly CancellationEvent[] => {
  if (log !== undefined) return [];
  const { reason, metadata, type: _type, ...facts } = command;
  return [{ type: 'CancellationOpened', data: { ...facts, content: plain(defined({ reason, metadata })) } }];
};

const noteRepeat = (command: NoteRepeat, log: CancellationLog | undefined): readonly CancellationEvent[] => {
  if (log === undefined) throw new DomainError('cancellation-not-found', 'no such cancellation');
  const isNoted = log.repeats.some(({ eventId }) => eventId === command.eventId);
  if (isNoted || log.repeats.length >= cancellationRepeatsMax) return [];
  const { taskId, by, reason, metadata } = command;
  const at = later(command.at, log.updatedAt);
  return [
    { type: 'CancellationRepeated', data: { at, taskId, by, content: plain(defined({ reason, metadata })) } },
  ];
};

/** What a command adds to a cancellation's own stream. */
export const decideCancellation = (
  command: CancellationCommand,
  log: CancellationLog | undefined,
): readonly CancellationEvent[] =>
  command.type === 'OpenCancellation' ? open(command, log) : noteRepeat(command, log);
