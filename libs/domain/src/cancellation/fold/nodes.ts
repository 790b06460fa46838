import { factOn, putAllOn, putOn } from '../../task/shelves.js';
import type { CancellationLog, NodeFact } from '../log.js';
import {
  nodeOutcomes,
  type NodeOutcome,
  type SettledNode,
  type WaitingNode,
  type WorkerState,
} from '../node.js';
import { nodeOf, settledWorker } from '../worker.js';
import { countOf, move, type Counts } from './counts.js';

/** A certificate before its first line. */
export const noNodes = {
  nodes: [],
  nodeCount: 0,
  waitingCount: 0,
  counts: countOf(nodeOutcomes),
} as const;

/** A line that is final already stays. */
export const awaitNode = (log: CancellationLog, node: WaitingNode): CancellationLog => {
  const before = nodeOf(log, node.taskId);
  if (before?.kind === 'settled') return log;
  const isNew = before === undefined ? 1 : 0;
  return {
    ...log,
    nodes: putOn<NodeFact>(log.nodes, node.taskId, { kind: 'waiting', node }),
    nodeCount: log.nodeCount + isNew,
    waitingCount: log.waitingCount + isNew,
  };
};

/** The counts while an event's lines are added to them. */
interface Tally {
  nodeCount: number;
  waitingCount: number;
  readonly counts: Counts<NodeOutcome>;
  readonly workers: Counts<WorkerState>;
}

/** One line more, or another one for the same task; the one before is taken out of the counts. */
const add = (tally: Tally, log: CancellationLog, before: NodeFact | undefined, line: SettledNode): void => {
  const fact = factOn(log.workerFacts, line.taskId);
  const was = before?.kind === 'settled' ? before.node : undefined;
  move(tally.counts, was?.outcome, line.outcome);
  move(tally.workers, was && settledWorker(was, fact), settledWorker(line, fact));
  if (before === undefined) tally.nodeCount += 1;
  if (before?.kind === 'waiting') tally.waitingCount -= 1;
};

/** All the lines of one event at once: a certificate of many thousand nodes is not copied for each. */
export const settleLines = (log: CancellationLog, lines: readonly SettledNode[]): CancellationLog => {
  const { nodeCount, waitingCount } = log;
  const facts = new Map<string, NodeFact>();
  const tally: Tally = { nodeCount, waitingCount, counts: { ...log.counts }, workers: { ...log.workers } };
  for (const node of lines) {
    const { taskId } = node;
    add(tally, log, facts.get(taskId) ?? nodeOf(log, taskId), node);
    facts.set(taskId, { kind: 'settled', node });
  }
  return { ...log, ...tally, nodes: putAllOn(log.nodes, [...facts]) };
};
