import type {
  AcknowledgeWorker,
  CancellationCommand,
  NoteLateWrite,
  NotifyWorkers,
  OpenCancellation,
} from '../cancellation/commands.js';
import { decideCancellation } from '../cancellation/decide.js';
import type { CancellationEvent } from '../cancellation/events.js';
import { evolveCancellation } from '../cancellation/evolve.js';
import type { CancellationLog } from '../cancellation/log.js';
import type { SettledNode, WaitingNode } from '../cancellation/node.js';
import { readCancellationEvent } from '../reading/other-events.js';
import { alice, at, metadata } from './events.js';

// The cancellation x1 of the task t1, and what is written on its own stream from second 10 on.

export const open: OpenCancellation = {
  type: 'OpenCancellation',
  at: at(10),
  cancellationId: 'x1',
  rootTaskId: 't1',
  rootRevision: 3,
  requestedAt: at(9),
  request: { mode: 'immediate', cascade: true, requestedBy: alice },
  descendantsOnly: false,
  reason: 'too slow',
};

/** What a store gives back of an event: whatever is decided must be readable for ever. */
const stored = ({ type, data }: CancellationEvent): CancellationEvent => {
  const reading = readCancellationEvent(type, JSON.parse(JSON.stringify(data)));
  if (!reading.ok) throw new Error(`${type}: ${reading.error}`);
  expect(reading.event).toEqual({ type, data });
  return reading.event;
};

/** The fold moved on by these events, as a store gives them back; all of them get this id. */
export const append = (
  log: CancellationLog | undefined,
  events: readonly CancellationEvent[],
  id = 'e',
): CancellationLog | undefined =>
  events.reduce<CancellationLog | undefined>(
    (before, event) =>
      evolveCancellation(before, {
        ...stored(event),
        revision: (before?.revision ?? -1) + 1,
        id,
        metadata,
        bytes: 0,
      }),
    log,
  );

/** What a command adds, and the fold afterwards. */
export const write = (log: CancellationLog | undefined, command: CancellationCommand, id = 'e') => {
  const events = decideCancellation(command, log);
  return { events, log: append(log, events, id) };
};

/** An open cancellation after these commands. */
export const after = (...commands: readonly CancellationCommand[]): CancellationLog => {
  const log = [open, ...commands].reduce<CancellationLog | undefined>(
    (before, command) => write(before, command).log,
    undefined,
  );
  if (log === undefined) throw new Error('not opened');
  return log;
};

/** The types of what a command adds to a cancellation. */
export const typesOf = (log: CancellationLog, command: CancellationCommand): readonly string[] =>
  write(log, command).events.map(({ type }) => type);

/** A line below the root: canceled, and nobody has told the worker. */
export const line = (taskId: string, more: Partial<SettledNode> = {}): SettledNode => ({
  taskId,
  parentTaskId: 't1',
  depth: 1,
  policy: 'cascade',
  reachedAt: at(9),
  outcome: 'canceled',
  revision: 2,
  settledAt: at(11),
  worker: 'unnotified',
  attempts: 1,
  ...more,
});

export const waiting = (taskId: string, more: Partial<WaitingNode> = {}): WaitingNode => ({
  taskId,
  parentTaskId: 't1',
  depth: 1,
  policy: 'cooperative',
  reachedAt: at(9),
  dueAt: at(40),
  ...more,
});

export const settle = (...nodes: readonly SettledNode[]): CancellationCommand => ({
  type: 'SettleNodes',
  at: at(12),
  nodes,
});
export const wait = (taskId: string): CancellationCommand => ({
  type: 'AwaitNode',
  at: at(12),
  node: waiting(taskId),
});
/** Everything was swept. */
export const finish: CancellationCommand = { type: 'SettleCancellation', at: at(13), whole: true };
/** What a late link brought was swept. */
export const finishAgain: CancellationCommand = { type: 'SettleCancellation', at: at(13), whole: false };

export const notify = (...taskIds: readonly string[]): NotifyWorkers => ({
  type: 'NotifyWorkers',
  at: at(14),
  taskIds,
  to: 'worker-1',
  through: 'feed',
});
export const acknowledge = (taskId: string, more: Partial<AcknowledgeWorker> = {}): AcknowledgeWorker => ({
  type: 'AcknowledgeWorker',
  at: at(15),
  taskId,
  by: { principal: 'worker-1', role: 'agent', via: 'ledger-api' },
  ...more,
});
export const writeLate = (taskId: string, more: Partial<NoteLateWrite> = {}): NoteLateWrite => ({
  type: 'NoteLateWrite',
  at: at(16),
  taskId,
  principal: 'worker-1',
  attempted: 'transition',
  ...more,
});
