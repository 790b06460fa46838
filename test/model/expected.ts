import { factOn, type CancellationScope, type LinkPolicy, type Task } from '#domain';
import { scopeAt, taskAt } from './moves.js';
import { headAt } from './streams.js';
import { taskIdOf, taskOf, type World, type Worlds } from './world.js';

/** What the promises say of a task, told without the code that keeps them: from the children's own streams. */
export interface Expected {
  readonly outcome: 'abandoned' | 'refused' | 'canceled' | 'forced' | 'alreadyTerminal' | 'lostRace' | 'open';
  readonly by?: string;
  readonly late: boolean;
}

interface Reached {
  readonly task: number;
  readonly carried?: LinkPolicy;
  readonly late: boolean;
  /** Place in the log of what let the cancellation come here. */
  readonly since: number;
}

const position = (world: World, task: number, revision: number): number =>
  world.order.indexOf(headAt(taskAt(world, task), revision)?.id ?? -1);

/** Who answers a task's end for the children that are to end with it: `own`, another's id, or nobody. */
export const answererOf = ({ state, end }: Task): string | undefined => {
  if (end === undefined || state === 'canceled') return undefined;
  if (end.cancellationId !== undefined) return end.cancellationId;
  return end.asked?.cascade === true ? undefined : 'own';
};

export const childrenOf = (world: World, parent: number): readonly { child: number; fold: Task }[] =>
  world.tasks.flatMap(({ index, fold }) =>
    fold?.parent?.taskId === taskIdOf(parent) ? [{ child: index, fold }] : [],
  );

export const isLate = (world: World, parent: number, child: number): boolean =>
  factOn(world.lates[parent]?.fold?.children ?? [], taskIdOf(child)) !== undefined;

/** The place of a link in the log. */
const linkedAt = (world: World, parent: number, child: number): number => {
  const own = factOn(world.tasks[parent]?.fold?.children ?? [], taskIdOf(child));
  if (own !== undefined) return position(world, parent, own.revision);
  const late = factOn(world.lates[parent]?.fold?.children ?? [], taskIdOf(child));
  const head = world.lates[parent];
  return head === undefined || late === undefined
    ? Number.MAX_SAFE_INTEGER
    : world.order.indexOf(headAt(head, late.revision)?.id ?? -1);
};

const below = (world: World, scope: CancellationScope, parent: number, since: number): readonly Reached[] =>
  childrenOf(world, parent).map(({ child, fold }) => ({
    task: child,
    ...(fold.parent && { carried: scope.kind === 'parentEnd' ? fold.parent.onEnd : fold.parent.policy }),
    late: isLate(world, parent, child),
    since,
  }));

const first = (world: World, scope: CancellationScope): readonly Reached[] => {
  const root = taskOf(scope.rootTaskId);
  const begin = world.order.findIndex((_, index) => String.fromCharCode(64 + index) === scope.begin.position);
  if (scope.kind !== 'descendants') return [{ task: root, late: false, since: begin }];
  return below(world, scope, root, begin).filter(({ task }) => linkedAt(world, root, task) < begin);
};

const outcomeOf = (
  world: World,
  scope: CancellationScope,
  at: Reached,
  fold: Task,
): Omit<Expected, 'late'> => {
  const { cancellationId } = scope;
  const { end } = fold;
  if (at.carried === 'abandon') return { outcome: 'abandoned' };
  if (factOn(fold.requests, cancellationId)?.declined !== undefined) return { outcome: 'refused' };
  if (end === undefined) return { outcome: 'open' };
  if (end.cancellationId === cancellationId) return { outcome: end.forced === true ? 'forced' : 'canceled' };
  if (end.cancellationId !== undefined) return { outcome: 'alreadyTerminal', by: end.cancellationId };
  return {
    outcome: position(world, at.task, end.revision) <= at.since ? 'alreadyTerminal' : 'lostRace',
  };
};

const shields: ReadonlySet<Expected['outcome']> = new Set<Expected['outcome']>([
  'abandoned',
  'refused',
  'open',
]);

const goesOn = (scope: CancellationScope, task: number, { outcome }: Omit<Expected, 'late'>): boolean => {
  if (shields.has(outcome) || !scope.cascade) return false;
  return scope.kind !== 'parentEnd' || outcome === 'canceled' || taskIdOf(task) === scope.rootTaskId;
};

/** Every task in the scope of a cancellation, and what its line has to say. */
export const expectedOf = (worlds: Worlds, world: World, index: number): ReadonlyMap<number, Expected> => {
  const scope = scopeAt(worlds, world, index);
  const expected = new Map<number, Expected>();
  const queue = scope === undefined ? [] : [...first(world, scope)];
  for (const at of queue) {
    const { fold } = taskAt(world, at.task);
    if (scope === undefined || fold === undefined || expected.has(at.task)) continue;
    const outcome = outcomeOf(world, scope, at, fold);
    expected.set(at.task, { ...outcome, late: at.late });
    if (!goesOn(scope, at.task, outcome)) continue;
    const wasAsked = factOn(fold.requests, scope.cancellationId) !== undefined;
    const since = wasAsked ? position(world, at.task, fold.end?.revision ?? -1) : at.since;
    queue.push(...below(world, scope, at.task, since));
  }
  return expected;
};
