import type { AwaitNode, SettleCancellation, SettleNodes } from '../commands.js';
import type { CancellationFact } from '../evolve.js';
import type { CancellationLog, NodeFact } from '../log.js';
import type { SettledNode } from '../node.js';
import { nodeOf } from '../worker.js';
import { pagesOf } from './pages.js';

/** How much a line says: one of a task that cannot be seen is set right when it can, and every other is final. */
const weightOf = (line: NodeFact | undefined): number => {
  if (line?.kind !== 'settled') return 0;
  const { outcome } = line.node;
  if (outcome === 'unreachable') return 1;
  return outcome === 'unknownRemote' ? 2 : 3;
};

export const awaitNode = (
  { node }: AwaitNode,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] =>
  nodeOf(log, node.taskId) === undefined ? [{ type: 'NodeWaiting', data: { at, node } }] : [];

const settled = (node: SettledNode): NodeFact => ({ kind: 'settled', node });

export const settleNodes = (
  { nodes }: SettleNodes,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  const lines = new Map<string, SettledNode>();
  for (const node of nodes) {
    const { taskId } = node;
    const before = lines.get(taskId);
    const stands = before === undefined ? nodeOf(log, taskId) : settled(before);
    if (weightOf(settled(node)) > weightOf(stands)) lines.set(taskId, node);
  }
  return pagesOf([...lines.values()]).map((page) => ({
    type: 'NodesSettled',
    data: { at, nodes: page },
  }));
};

/** Until everything below the root was swept once, nobody knows whether every line stands. */
export const settleCancellation = (
  { whole }: SettleCancellation,
  at: string,
  log: CancellationLog,
): readonly CancellationFact[] => {
  const { status, waitingCount, wasSettled } = log;
  const isComplete = status === 'running' && waitingCount === 0 && (whole || wasSettled);
  return isComplete ? [{ type: 'CancellationSettled', data: { at } }] : [];
};
