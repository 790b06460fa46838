import { plain } from '../../content.js';
import { defined } from '../../json.js';
import { factOn } from '../../task/shelves.js';
import type { AcknowledgeWorker, NoteLateWrite, NotifyWorkers } from '../commands.js';
import type { CancellationFact } from '../evolve.js';
import type { CancellationLog } from '../log.js';
import { pagesOf } from './pages.js';
import { endedHere, nodeOf, workerFactsMax, workerStateOf } from '../worker.js';

/** Whether the worker of a task is one that this cancellation has anything to do with, as far as is known. */
const isConcerned = (log: CancellationLog, taskId: string): boolean => {
  const line = nodeOf(log, taskId);
  return line?.kind !== 'settled' || endedHere(line.node);
};

const factsNoted = (log: CancellationLog, taskId: string): number =>
  factOn(log.workerFacts, taskId)?.count ?? 0;

/** Only a worker of whom nothing is known yet. */
export const notifyWorkers = (
  { taskIds, to, through }: NotifyWorkers,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  const told = [...new Set(taskIds)].filter((taskId) => workerStateOf(log, taskId) === 'unnotified');
  return pagesOf(told).map((page) => ({
    type: 'WorkersNotified',
    data: { at, taskIds: page, to, through },
  }));
};

/**
 * The last fact that there is room for is never an acknowledgement: one that a later write could not take back any
 * more would say too much.
 */
export const acknowledgeWorker = (
  { taskId, by, note }: AcknowledgeWorker,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  const stands = !isConcerned(log, taskId) || workerStateOf(log, taskId) === 'acknowledged';
  if (stands || factsNoted(log, taskId) >= workerFactsMax - 1) return [];
  return [{ type: 'WorkerAcknowledged', data: { at, taskId, by, content: plain(defined({ note })) } }];
};

export const noteLateWrite = (
  { taskId, principal, attempted }: NoteLateWrite,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  const stands = !isConcerned(log, taskId) || workerStateOf(log, taskId) === 'wroteLate';
  if (stands || factsNoted(log, taskId) >= workerFactsMax) return [];
  return [{ type: 'WorkerWroteLate', data: { at, taskId, principal, attempted } }];
};
