import {
  carriedBy,
  DomainError,
  scopeOfDescendants,
  scopeOfEnd,
  scopeOfRequest,
  type CancelMode,
  type CancellationCommand,
  type CancellationEvent,
  type CancellationScope,
  type LateEvent,
  type TaskCommand,
  type TaskEvent,
} from '#domain';
import type { KnownNode, SweepRecord, SweepWork } from '#saga';
import type { Handler } from './configuration.js';
import { headAt, type AnyHead, type CancellationHead, type LateHead, type TaskHead } from './streams.js';
import { taskIdOf, taskOf, type World, type Worlds } from './world.js';

/** One append that was decided, and what it was decided on. */
export interface Move {
  readonly base: AnyHead;
  readonly heads: readonly AnyHead[];
  readonly problem?: string;
}

/** What a saga has to do for one cancellation. */
export interface Duty {
  readonly moves: readonly Move[];
  readonly waits: boolean;
}

/** The clock stands still; a timer fires when it is due. */
export const now = '2026-01-01T12:00:00.000Z';

export const memo = <Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value => {
  if (known.has(key)) return known.get(key) as Value;
  const value = make();
  known.set(key, value);
  return value;
};

const at = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${String(index)}`);
  return item;
};

export const taskAt = ({ tasks }: World, task: number): TaskHead => at(tasks, task);
export const lateAt = ({ lates }: World, task: number): LateHead => at(lates, task);
export const cancellationAt = ({ cancellations }: World, index: number): CancellationHead =>
  at(cancellations, index);

// Appends, decided on the world as it is.

export const taskMove = (worlds: Worlds, base: TaskHead, events: readonly TaskEvent[]): Move => {
  const heads: TaskHead[] = [];
  for (const event of events) heads.push(worlds.streams.task(heads.at(-1) ?? base, event));
  return { base, heads };
};

const lateMove = (worlds: Worlds, base: LateHead, events: readonly LateEvent[]): Move => {
  const heads: LateHead[] = [];
  for (const event of events) heads.push(worlds.streams.late(heads.at(-1) ?? base, event));
  return { base, heads };
};

export const cancellationMove = (
  worlds: Worlds,
  base: CancellationHead,
  events: readonly CancellationEvent[],
): Move => {
  const heads: CancellationHead[] = [];
  for (const event of events) heads.push(worlds.streams.cancellation(heads.at(-1) ?? base, event));
  return { base, heads };
};

/** The same events on a stream that has moved on: what an append without an exact revision does. */
export const rebased = (worlds: Worlds, world: World, { base, heads }: Move): Move => {
  const events = heads.map(({ event }) => ({ type: event?.type, data: event?.data }));
  if (base.kind === 'late') return lateMove(worlds, lateAt(world, base.index), events as LateEvent[]);
  return cancellationMove(worlds, cancellationAt(world, base.index), events as CancellationEvent[]);
};

const nothingIfRefused = (decision: () => Move): Move | undefined => {
  try {
    const move = decision();
    return move.heads.length > 0 ? move : undefined;
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
};

/**
 * Undefined where the command is refused, or changes nothing.
 * @param key tells the command from every other one on the same task
 */
export const commanded = (
  worlds: Worlds,
  base: TaskHead,
  key: string,
  command: () => TaskCommand,
): Move | undefined =>
  memo(base.decided, key, () =>
    nothingIfRefused(() => taskMove(worlds, base, worlds.rules.decide(command(), base.fold))),
  );

// The links.

const announcing = (
  worlds: Worlds,
  child: TaskHead,
  parent: TaskHead,
  beside: LateHead,
): Move | undefined => {
  const link = child.fold?.parent;
  if (link === undefined) return undefined;
  const { taskId: parentTaskId, ...terms } = link;
  const announced = { ...terms, taskId: taskIdOf(child.index) };
  try {
    const events = worlds.rules.decide({ type: 'LinkChild', at: now, child: announced }, parent.fold);
    return events.length > 0 ? taskMove(worlds, parent, events) : undefined;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'task-is-terminal') throw error;
  }
  const command = { type: 'LinkLateChild', at: now, parentTaskId, child: announced } as const;
  const events = worlds.rules.decideLate(command, beside.fold);
  return events.length > 0 ? lateMove(worlds, beside, events) : undefined;
};

/** What announces a child to its parent, on its stream or beside it; undefined where it is announced. */
export const announcement = (worlds: Worlds, world: World, child: number): Move | undefined => {
  const head = taskAt(world, child);
  const above = head.fold?.parent?.taskId;
  if (above === undefined) return undefined;
  const parent = taskAt(world, taskOf(above));
  const beside = lateAt(world, parent.index);
  const key = `announced/${String(parent.id)}/${String(beside.id)}`;
  return memo(head.decided, key, () => announcing(worlds, head, parent, beside));
};

// The cancellations.

const askedScope = (worlds: Worlds, world: World, index: number, handler: Handler) => {
  const opening = cancellationAt(world, index);
  if (handler.kind === 'descendants') {
    const { event } = opening;
    return event?.type === 'CancellationOpened'
      ? scopeOfDescendants(event.data, worlds.place(world, opening, 0))
      : undefined;
  }
  if (handler.kind !== 'cancel') return undefined;
  const root = taskAt(world, handler.root);
  const revision = root.fold && worlds.rules.rootRevisionOf(root.fold, handler.id);
  const event = revision === undefined ? undefined : headAt(root, revision)?.event;
  if (event?.type !== 'TaskCanceled' && event?.type !== 'CancellationRequested') return undefined;
  return scopeOfRequest(taskIdOf(handler.root), event.data, worlds.place(world, root, event.revision));
};

const answeringScope = (worlds: Worlds, world: World, task: number): CancellationScope | undefined => {
  const head = taskAt(world, task);
  const { fold } = head;
  if (fold?.end === undefined || worlds.rules.answerToEnd(fold) !== 'own') return undefined;
  const place = worlds.place(world, head, fold.end.revision);
  return scopeOfEnd(fold, worlds.endId(fold.taskId), place);
};

/** Undefined while nothing of it stands in the log. */
export const scopeAt = (worlds: Worlds, world: World, index: number): CancellationScope | undefined =>
  memo(world.ground.scopes, index, () => {
    const id = worlds.cancellationIds[index];
    const handler = worlds.configuration.handlers.find((one) => 'id' in one && one.id === id);
    if (handler !== undefined) return askedScope(worlds, world, index, handler);
    return answeringScope(worlds, world, index - (worlds.cancellationIds.length - worlds.tasks));
  });

export const knownNode = (
  worlds: Worlds,
  world: World,
  scope: CancellationScope,
  taskId: string,
): KnownNode => {
  const head = taskAt(world, taskOf(taskId));
  const beside = lateAt(world, head.index);
  return worlds.rules.known(
    {
      task: head.fold,
      late: beside.fold,
      placeOf: (revision) => worlds.place(world, head, revision),
      latePlaceOf: (revision) => worlds.place(world, beside, revision),
    },
    scope,
  );
};

/** The command with which a cancellation is carried to a task. */
const carried = (scope: CancellationScope, manner: CancelMode): TaskCommand => {
  const { cancellationId, request, reason } = scope;
  const because = reason === undefined ? {} : { reason };
  if (scope.kind === 'parentEnd') return { type: 'StopOrphan', at: now, cancellationId, ...because };
  return { type: 'CarryCancellation', at: now, cancellationId, manner, request, ...because };
};

const carrying = (
  worlds: Worlds,
  world: World,
  scope: CancellationScope,
  { taskId, arrival }: Extract<SweepWork, { kind: 'carry' }>,
): Move | undefined => {
  const isAsked = arrival.link !== undefined && carriedBy(scope, arrival.link.child) === 'cooperative';
  const manner = isAsked ? 'cooperative' : 'immediate';
  const key = `${scope.cancellationId}/${manner}/${JSON.stringify(scope.request)}`;
  return commanded(worlds, taskAt(world, taskOf(taskId)), key, () => carried(scope, manner));
};

/** Writes down that a cancellation exists. */
export const opening = (worlds: Worlds, world: World, scope: CancellationScope): Move | undefined => {
  const base = cancellationAt(world, worlds.cancellation(scope.cancellationId));
  const { cancellationId, rootTaskId, request, begin, kind } = scope;
  const root = taskAt(world, taskOf(rootTaskId)).fold;
  const ended = kind === 'parentEnd' ? root?.end?.revision : undefined;
  const rootRevision = ended ?? (root && worlds.rules.rootRevisionOf(root, cancellationId));
  const events = worlds.rules.decideCancellation(
    {
      type: 'OpenCancellation',
      at: now,
      cancellationId,
      rootTaskId,
      ...(rootRevision !== undefined && { rootRevision }),
      requestedAt: begin.at,
      request,
      descendantsOnly: kind === 'descendants',
      ...(kind === 'parentEnd' && { parentEnded: true }),
    },
    base.fold,
  );
  return events.length > 0 ? cancellationMove(worlds, base, events) : undefined;
};

const recordCommand = (record: Exclude<SweepRecord, { kind: 'note' | 'open' }>): CancellationCommand => {
  switch (record.kind) {
    case 'await':
      return { type: 'AwaitNode', at: now, node: record.node };
    case 'settle-nodes':
      return { type: 'SettleNodes', at: now, nodes: record.nodes };
    case 'settle':
      return { type: 'SettleCancellation', at: now, whole: record.whole };
  }
};

const recorded = (
  worlds: Worlds,
  world: World,
  scope: CancellationScope,
  record: SweepRecord,
): Move | undefined => {
  const { cancellationId, rootTaskId } = scope;
  if (record.kind === 'open') return opening(worlds, world, scope);
  if (record.kind === 'note') {
    const beside = lateAt(world, taskOf(rootTaskId));
    const command = { type: 'NoteDescendantsCancellation', at: now, cancellationId } as const;
    return lateMove(worlds, beside, worlds.rules.decideLate(command, beside.fold));
  }
  const base = cancellationAt(world, worlds.cancellation(cancellationId));
  return cancellationMove(worlds, base, worlds.rules.decideCancellation(recordCommand(record), base.fold));
};

const sweeping = (worlds: Worlds, world: World, scope: CancellationScope): Duty => {
  const log = cancellationAt(world, worlds.cancellation(scope.cancellationId)).fold;
  const streams = { log, node: (taskId: string) => knownNode(worlds, world, scope, taskId) };
  const { carry, records, waits } = worlds.rules.sweep(scope, streams, worlds.rules.onTheWay);
  const carries = carry.flatMap((work) => {
    const move = carrying(worlds, world, scope, work);
    const problem = `(0) ${work.taskId} is reached before ${scope.cancellationId} is open`;
    return move === undefined ? [] : [log === undefined ? { ...move, problem } : move];
  });
  const [first] = records;
  const record = first && recorded(worlds, world, scope, first);
  const moves = record === undefined || record.heads.length === 0 ? carries : [...carries, record];
  // What is to be done and changes nothing is never done: nobody may think that it was.
  const isStuck = moves.length < carry.length + Math.min(records.length, 1);
  return { moves, waits: waits || isStuck };
};

const idle: Duty = { moves: [], waits: false };

/** What a cancellation would append now; nothing where it has not begun. */
export const dutyAt = (worlds: Worlds, world: World, index: number): Duty =>
  memo(world.ground.duties, cancellationAt(world, index).id, () => {
    const scope = scopeAt(worlds, world, index);
    return scope === undefined ? idle : sweeping(worlds, world, scope);
  });
