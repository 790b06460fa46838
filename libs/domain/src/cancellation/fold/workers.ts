import { factOn, putAllOn } from '../../task/shelves.js';
import type { CancellationEventData } from '../events.js';
import type { CancellationLog, WorkerFact } from '../log.js';
import { workerStates } from '../node.js';
import { isClosed, nodeOf, settledWorker } from '../worker.js';
import { countOf, move } from './counts.js';

/** A certificate before anything is known of a worker. */
export const noWorkers = { workerFacts: [], workers: countOf(workerStates) } as const;

type Said = Pick<WorkerFact, 'worker' | 'at' | 'by'>;

/** Word that went out changes nothing of what a worker did. */
const nextFact = (before: WorkerFact | undefined, said: Said): WorkerFact => {
  const count = (before?.count ?? 0) + 1;
  const stands = said.worker === 'notified' && before !== undefined;
  return { ...(stands ? before : said), count };
};

/** Only the settled lines are counted; what comes before the line is kept until then. */
const counted = (
  log: CancellationLog,
  facts: ReadonlyMap<string, WorkerFact>,
): CancellationLog['workers'] => {
  const workers = { ...log.workers };
  for (const [taskId, fact] of facts) {
    const line = nodeOf(log, taskId);
    if (line?.kind !== 'settled') continue;
    const was = settledWorker(line.node, factOn(log.workerFacts, taskId));
    move(workers, was, settledWorker(line.node, fact));
  }
  return workers;
};

/** @param said of the worker of each of the tasks */
const noted = (log: CancellationLog, taskIds: readonly string[], said: Said): CancellationLog => {
  const facts = new Map(taskIds.map((taskId) => [taskId, nextFact(factOn(log.workerFacts, taskId), said)]));
  const workerFacts = putAllOn(log.workerFacts, [...facts]);
  return { ...log, workerFacts, workers: counted(log, facts) };
};

export const notified = (
  log: CancellationLog,
  { at, taskIds, to }: CancellationEventData['WorkersNotified'],
): CancellationLog => noted(log, taskIds, { worker: 'notified', at, by: to });

export const acknowledged = (
  log: CancellationLog,
  { at, taskId, by }: CancellationEventData['WorkerAcknowledged'],
): CancellationLog => noted(log, [taskId], { worker: 'acknowledged', at, by: by.principal });

/** Somebody is still at it: what was confirmed is only settled again. */
export const wroteLate = (
  log: CancellationLog,
  { at, taskId, principal }: CancellationEventData['WorkerWroteLate'],
): CancellationLog => {
  const after = noted(log, [taskId], { worker: 'wroteLate', at, by: principal });
  const line = nodeOf(after, taskId);
  const isOpen =
    line?.kind === 'settled' && !isClosed(settledWorker(line.node, factOn(after.workerFacts, taskId)));
  if (!isOpen || after.status !== 'confirmed') return after;
  const { confirmedAt: _confirmedAt, ...facts } = after;
  return { ...facts, status: 'settled' };
};
