import {
  factOn,
  nodeOf,
  rootArrival,
  visit,
  type CancellationLog,
  type CancellationScope,
  type NodeFact,
  type SettledNode,
  type Task,
  type WaitingNode,
} from '#domain';
import { nodesPage } from '../reading/paging.js';
import type { Certificate, CertificateNode } from './certificate.js';
import { linesOf, namesMax, workerOf, type KnownCancellation } from './lines.js';

const scopeOf = (log: CancellationLog): CancellationScope => ({
  cancellationId: log.cancellationId,
  kind: log.parentEnded === true ? 'parentEnd' : 'request',
  rootTaskId: log.rootTaskId,
  cascade: log.request.cascade,
  begin: { position: '0', eventId: '', at: log.requestedAt },
  request: log.request,
});

/** The line of the root, before whoever carries the cancellation has written it, read from the root itself. */
export const rootLineOf = (log: CancellationLog, root: Task): NodeFact | undefined => {
  if (log.descendantsOnly || nodeOf(log, root.taskId) !== undefined) return undefined;
  const scope = scopeOf(log);
  const arrival = rootArrival(scope);
  // A cancellation begins before its root's end, or is begun by it.
  const position = scope.kind === 'parentEnd' ? '0' : '1';
  const place = { position, eventId: root.end?.eventId ?? '', at: root.end?.at ?? root.updatedAt };
  const verdict = visit(scope, arrival, root, () => place);
  const node = { taskId: root.taskId, depth: 0, reachedAt: log.requestedAt };
  if (verdict.kind === 'settled') return { kind: 'settled', node: { ...node, ...verdict.line, attempts: 1 } };
  const { dueAt } = verdict.kind === 'wait' ? verdict : {};
  return { kind: 'waiting', node: { ...node, ...(dueAt !== undefined && { dueAt }) } };
};

/** Which agent said so: in a call of its own, or by reporting the end. */
const acknowledgedOf = (
  { log }: KnownCancellation,
  { taskId, acknowledgedBy, settledAt }: SettledNode | (WaitingNode & Partial<SettledNode>),
): Pick<CertificateNode, 'acknowledged'> => {
  const fact = factOn(log.workerFacts, taskId);
  if (fact?.worker === 'acknowledged') return { acknowledged: { by: fact.by, at: fact.at } };
  if (acknowledgedBy === undefined || settledAt === undefined) return {};
  return { acknowledged: { by: acknowledgedBy, at: settledAt } };
};

const certificateNode = (known: KnownCancellation, line: NodeFact): CertificateNode => {
  const worker = workerOf(known, line);
  const { taskId, parentTaskId, depth, policy, late, reachedAt } = line.node;
  const said = worker === 'acknowledged' ? acknowledgedOf(known, line.node) : {};
  const place = {
    taskId,
    ...(parentTaskId !== undefined && { parentTaskId }),
    depth,
    ...(policy !== undefined && { policy }),
    ...(late && { late }),
    reachedAt,
  };
  if (line.kind === 'waiting') {
    const { dueAt } = line.node;
    const due = dueAt !== undefined && { dueAt };
    return { ...place, outcome: 'waiting', ...due, worker, ...said, attempts: 1 };
  }
  const { outcome, by, revision, settledAt, attempts, lastError } = line.node;
  return {
    ...place,
    outcome,
    ...(by !== undefined && { by }),
    ...(revision !== undefined && { revision }),
    settledAt,
    worker,
    ...said,
    attempts,
    ...(lastError !== undefined && { lastError }),
  };
};

/** With the root, where it has no line of its own yet. */
const tallyOf = (known: KnownCancellation): Pick<Certificate, 'counts' | 'workers'> => {
  const { log, rootLine } = known;
  const { counts, workers } = log;
  if (rootLine?.kind !== 'settled') return { counts, workers };
  const { outcome } = rootLine.node;
  const worker = workerOf(known, rootLine);
  return {
    counts: { ...counts, [outcome]: counts[outcome] + 1 },
    workers: { ...workers, [worker]: workers[worker] + 1 },
  };
};

/** Final for the ledger's side: when every line that is due stands, and every worker of them is closed. */
const standingOf = ({ status, settledAt, confirmedAt }: CancellationLog) => ({
  status,
  ...(settledAt !== undefined && { settledAt }),
  ...(confirmedAt !== undefined && { confirmedAt }),
});

/** In their order: those that are not settled for good, and those that were left alone and live on. */
const survivorsOf = (known: KnownCancellation, living: ReadonlySet<string>): readonly string[] => {
  const { inOrder, open } = linesOf(known);
  if (living.size === 0) return open.slice(0, namesMax);
  const unsettled = new Set(open);
  return inOrder
    .map(({ node }) => node.taskId)
    .filter((taskId) => unsettled.has(taskId) || living.has(taskId))
    .slice(0, namesMax);
};

/** The line of one task, where it has one. */
export const lineOf = (known: KnownCancellation, taskId: string): CertificateNode | undefined => {
  const { log, rootLine } = known;
  const line = rootLine?.node.taskId === taskId ? rootLine : nodeOf(log, taskId);
  return line && certificateNode(known, line);
};

export const repeatsOf = ({ repeats }: CancellationLog): Certificate['repeats'] =>
  repeats.map(({ at, by }) => ({ at, by }));

/**
 * What a cancellation has come to.
 * @param living of the tasks it left alone, those that have not ended
 * @throws DomainError `invalid-request`: `nodesAfter` names no node
 */
export const certificateOf = (
  known: KnownCancellation,
  living: ReadonlySet<string>,
  nodesAfter?: string,
): Certificate => {
  const { log } = known;
  const { cancellationId, rootTaskId, requestedAt, request, descendantsOnly, parentEnded } = log;
  const { inOrder, unconfirmed } = linesOf(known);
  const { nodes, nextNodes } = nodesPage(inOrder, ({ node }) => node.taskId, nodesAfter);
  return {
    cancellationId,
    rootTaskId,
    requestedAt,
    requestedBy: request.requestedBy,
    mode: request.mode,
    cascade: request.cascade,
    ...(descendantsOnly && { descendantsOnly }),
    ...(parentEnded && { parentEnded }),
    ...(log.reason !== undefined && { reason: log.reason }),
    ...(log.metadata !== undefined && { metadata: log.metadata }),
    ...standingOf(log),
    ...tallyOf(known),
    nodes: nodes.map((line) => certificateNode(known, line)),
    ...(nextNodes !== undefined && { nextNodes }),
    survivors: survivorsOf(known, living),
    unconfirmed: unconfirmed.slice(0, namesMax),
    repeats: repeatsOf(log),
  };
};
