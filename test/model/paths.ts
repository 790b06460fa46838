import { nodeOf, type CancellationLog, type CancellationScope, type LateCandidate } from '#domain';
import { Sweep } from '#saga';
import { candidatesOf } from './meaning.js';
import { cancellationAt, knownNode, scopeAt, taskAt } from './moves.js';
import type { AnyHead } from './streams.js';
import { taskOf, type World, type Worlds } from './world.js';

/** What a sweep finds to be done, by task: a line that does not stand, or the task to be carried on. */
const dueOf = (
  worlds: Worlds,
  world: World,
  scope: CancellationScope,
  log: CancellationLog,
  path: readonly string[],
): ReadonlyMap<string, string> => {
  const due = new Map<string, string>();
  const sweep = new Sweep(scope, path, worlds.rules.onTheWay);
  for (let work = sweep.take(1); work[0] !== undefined; work = sweep.take(1)) {
    const [{ kind, taskId }] = work;
    if (kind === 'carry') due.set(taskId, 'carried on');
    else sweep.tell(taskId, knownNode(worlds, world, scope, taskId));
  }
  for (const { taskId, outcome } of sweep.takeSettled())
    if (nodeOf(log, taskId)?.kind !== 'settled') due.set(taskId, outcome);
  for (const taskId of sweep.waiting.keys()) due.set(taskId, 'waited for');
  return due;
};

const isBelow = (world: World, taskId: string, top: string): boolean => {
  for (
    let at: string | undefined = taskId;
    at !== undefined;
    at = taskAt(world, taskOf(at)).fold?.parent?.taskId
  )
    if (at === top) return true;
  return false;
};

const differs = (worlds: Worlds, world: World, childId: string, candidate: LateCandidate): boolean => {
  const id = candidate.kind === 'parentEnd' ? worlds.endId(candidate.rootTaskId) : candidate.cancellationId;
  const index = worlds.cancellation(id);
  const scope = scopeAt(worlds, world, index);
  const log = cancellationAt(world, index).fold;
  if (scope === undefined || log?.wasSettled !== true) return false;
  const whole = dueOf(worlds, world, scope, log, []);
  const along = dueOf(worlds, world, scope, log, candidate.path);
  const missed = [...whole].some(
    ([taskId, what]) => isBelow(world, taskId, childId) && along.get(taskId) !== what,
  );
  return missed || [...along].some(([taskId, what]) => whole.get(taskId) !== what);
};

/** A certificate that was settled once is swept only along the path to a late link: that must find what the whole does. */
export const pathProblem = (worlds: Worlds, world: World, head: AnyHead): string | undefined => {
  if (head.kind !== 'late' || head.event?.type !== 'LateChildLinked') return undefined;
  const { taskId } = head.event.data.child;
  const wrong = candidatesOf(worlds, world, head).find((candidate) =>
    differs(worlds, world, taskId, candidate),
  );
  return wrong && `(5) along the path ${wrong.path.join(' ')} a sweep misses what the whole one finds`;
};
