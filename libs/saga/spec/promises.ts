import { answerToEnd, factOn, factsOf, type CancellationScope, type Task } from '#domain';
import type { LogView } from './log-view.js';

/** What a whole log must keep once nobody does anything any more; each broken promise in words. */
export const brokenPromises = (log: LogView): readonly string[] => [
  ...[...log.scopes.values()].flatMap((scope) => [
    ...certificateIsWhole(log, scope),
    ...nobodyBelowLives(log, scope),
  ]),
  ...[...log.tasks.values()].flatMap((task) => [
    ...isAnnouncedOnce(log, task),
    ...wasReached(log, task),
    ...endsWithParent(log, task),
  ]),
];

/** Nothing more is due, and every line says what the streams say. */
const certificateIsWhole = (log: LogView, scope: CancellationScope): readonly string[] => {
  const { cancellationId } = scope;
  const said = log.outcomes(cancellationId);
  const { appends, waits, lines } = log.due(scope);
  const told = Object.fromEntries(lines.map(({ taskId, outcome }) => [taskId, outcome]));
  const { status } = log.cancellation(cancellationId);
  return [
    ...(appends.length > 0 ? [`${cancellationId} still owes ${JSON.stringify(appends)}`] : []),
    ...(waits || status === 'running' ? [`${cancellationId} is ${status}${waits ? ' and waits' : ''}`] : []),
    ...(sorted(said) === sorted(told) ? [] : [`${cancellationId} says ${sorted(said)}, not ${sorted(told)}`]),
  ];
};

const sorted = (outcomes: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(outcomes).sort());

const hasDeclined = (task: Task, cancellationId: string): boolean =>
  factOn(task.requests, cancellationId)?.declined !== undefined;

/** From the children's own streams: their parents' are not asked. */
const nobodyBelowLives = (log: LogView, scope: CancellationScope): readonly string[] => {
  const { cancellationId, rootTaskId, kind, cascade } = scope;
  const root = log.task(rootTaskId);
  if (kind !== 'request') return [];
  if (hasDeclined(root, cancellationId)) return [];
  if (root.end === undefined) return [`the root ${rootTaskId} lives`];
  const living: string[] = [];
  const above = cascade ? [rootTaskId] : [];
  for (let parentTaskId = above.pop(); parentTaskId !== undefined; parentTaskId = above.pop())
    for (const task of log.tasks.values()) {
      if (task.parent?.taskId !== parentTaskId || task.parent.policy === 'abandon') continue;
      if (hasDeclined(task, cancellationId)) continue;
      if (task.end === undefined) living.push(`${task.taskId} lives below ${cancellationId}`);
      else above.push(task.taskId);
    }
  return living;
};

const isAnnouncedOnce = (log: LogView, { taskId, parent }: Task): readonly string[] => {
  if (parent === undefined) return [];
  const links = log.children(parent.taskId).filter((childTaskId) => childTaskId === taskId).length;
  return links === 1 ? [] : [`${taskId} is announced ${String(links)} times`];
};

/** Whatever a cancellation wrote on a task, it came there from its root, over links that carry it. */
const wasReached = (log: LogView, task: Task): readonly string[] => {
  const ids = new Set(factsOf(task.requests).map(([cancellationId]) => cancellationId));
  if (task.end?.cancellationId !== undefined) ids.add(task.end.cancellationId);
  return [...ids].flatMap((cancellationId) => {
    const scope = log.scopes.get(cancellationId);
    if (scope === undefined) return [`${task.taskId} is touched by ${cancellationId}, which nobody began`];
    return leadsTo(log, scope, task) ? [] : [`${task.taskId} is outside of ${cancellationId}`];
  });
};

const leadsTo = (log: LogView, { kind, rootTaskId }: CancellationScope, task: Task): boolean => {
  if (task.taskId === rootTaskId) return kind === 'request';
  for (let at = task; at.parent !== undefined; at = log.task(at.parent.taskId)) {
    const { policy, onEnd, taskId } = at.parent;
    if (kind === 'parentEnd' ? onEnd !== 'cascade' : policy === 'abandon') return false;
    if (taskId === rootTaskId) return true;
    if (log.task(taskId).end === undefined) return false;
  }
  return false;
};

const endsWithParent = (log: LogView, { taskId, parent, end }: Task): readonly string[] => {
  if (parent?.onEnd !== 'cascade' || end !== undefined) return [];
  return answerToEnd(log.task(parent.taskId)) === undefined
    ? []
    : [`${taskId} outlives ${parent.taskId}, with which it is to end`];
};
