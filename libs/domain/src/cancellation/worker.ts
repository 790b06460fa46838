import { factOn } from '../task/shelves.js';
import type { NodeOutcome, SettledNode, WorkerState } from './node.js';
import type { CancellationLog, NodeFact, WorkerFact } from './log.js';

/** Facts that a cancellation notes of one worker. */
export const workerFactsMax = 8;

/** The line of a task on the certificate, if it has one. */
export const nodeOf = ({ nodes }: Pick<CancellationLog, 'nodes'>, taskId: string): NodeFact | undefined =>
  factOn(nodes, taskId);

const endedByIt: ReadonlySet<NodeOutcome> = new Set<NodeOutcome>(['canceled', 'forced']);

/** Whether this cancellation ended the task: of any other there is nothing for a worker to hear. */
export const endedHere = ({ outcome }: Pick<SettledNode, 'outcome'>): boolean => endedByIt.has(outcome);

/**
 * The state of a worker whose task has its line. Word that went out says nothing new of an agent that reported the
 * end itself, or of work that nobody had taken up; a write that came after the end does.
 */
export const settledWorker = (line: SettledNode, fact: WorkerFact | undefined): WorkerState => {
  if (!endedHere(line)) return 'none';
  if (fact === undefined) return line.worker;
  return fact.worker === 'notified' && line.worker !== 'unnotified' ? line.worker : fact.worker;
};

/** What is known of the worker behind a task: its line, and what was noted of it before and since. */
export const workerStateOf = (
  log: Pick<CancellationLog, 'nodes' | 'workerFacts'>,
  taskId: string,
): WorkerState => {
  const node = nodeOf(log, taskId);
  const fact = factOn(log.workerFacts, taskId);
  return node?.kind === 'settled' ? settledWorker(node.node, fact) : (fact?.worker ?? 'unnotified');
};

const closed: ReadonlySet<WorkerState> = new Set<WorkerState>(['none', 'acknowledged', 'leaseExpired']);

/** Whether nobody is left who may still be at work on the task. */
export const isClosed = (worker: WorkerState): boolean => closed.has(worker);

/** Settled tasks whose worker may still be at it. */
export const openWorkers = ({ workers }: Pick<CancellationLog, 'workers'>): number =>
  workers.unnotified + workers.notified + workers.wroteLate;
