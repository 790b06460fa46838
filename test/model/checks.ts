import { factOn, factsOf, type CancellationLog, type Task } from '#domain';
import { answererOf, childrenOf, expectedOf, isLate, type Expected } from './expected.js';
import { showMove } from './appends.js';
import { meaningOf } from './meaning.js';
import { announcement, cancellationAt, dutyAt, scopeAt, taskAt, type Move } from './moves.js';
import { taskIdOf, taskOf, type World, type Worlds } from './world.js';

// The seven promises, as they must stand when nothing is left to do; (0) is what every state is held to.

const eachCancellation = (
  worlds: Worlds,
  check: (id: string, index: number) => readonly string[],
): readonly string[] => worlds.cancellationIds.flatMap(check);

const eachTask = (world: World, check: (fold: Task, task: number) => readonly string[]): readonly string[] =>
  world.tasks.flatMap(({ fold, index }) => (fold === undefined ? [] : check(fold, index)));

const found = (isBroken: boolean, text: () => string): readonly string[] => (isBroken ? [text()] : []);

/** (1) Below a cascading cancellation everything has ended, but for what is abandoned or declined, and is shielded. */
const everythingHasEnded = (worlds: Worlds, world: World): readonly string[] =>
  eachCancellation(worlds, (id, index) =>
    [...expectedOf(worlds, world, index)].flatMap(([task, { outcome }]) =>
      found(outcome === 'open', () => `(1) ${taskIdOf(task)} lives in the scope of ${id}`),
    ),
  );

const touchedBy = ({ requests, end }: Task): ReadonlyMap<string, 'asked' | 'ended'> => {
  const touched = new Map<string, 'asked' | 'ended'>();
  for (const [id] of factsOf(requests)) touched.set(id, 'asked');
  if (end?.cancellationId !== undefined) touched.set(end.cancellationId, 'ended');
  return touched;
};

/** (2) Nothing else was touched. */
const nothingElseWasTouched = (worlds: Worlds, world: World): readonly string[] =>
  eachTask(world, (fold, task) =>
    [...touchedBy(fold)].flatMap(([id, how]) => {
      const expected = expectedOf(worlds, world, worlds.cancellation(id)).get(task);
      const isDeclined = expected?.outcome === 'refused' && how === 'asked';
      const isOutside =
        expected === undefined ||
        expected.outcome === 'abandoned' ||
        (expected.outcome === 'refused' && !isDeclined);
      return found(isOutside, () => `(2) ${taskIdOf(task)} was ${how} by ${id}, outside its scope`);
    }),
  );

/** (3) Every child is announced at its parent once. */
const everyChildIsAnnounced = (world: World): readonly string[] =>
  eachTask(world, ({ parent }, task) => {
    if (parent === undefined) return [];
    const above = taskOf(parent.taskId);
    const own = factOn(world.tasks[above]?.fold?.children ?? [], taskIdOf(task));
    const links = (own === undefined ? 0 : 1) + (isLate(world, above, task) ? 1 : 0);
    return found(links !== 1, () => `(3) ${taskIdOf(task)} has ${String(links)} links on ${parent.taskId}`);
  });

const lineFaults = (
  id: string,
  log: CancellationLog,
  expected: ReadonlyMap<number, Expected>,
): readonly string[] => {
  const lines = new Map(factsOf(log.nodes));
  const missing = [...expected].flatMap(([task, { outcome, by, late }]) => {
    const line = lines.get(taskIdOf(task));
    const promise = late ? '(5) late' : '(4)';
    if (line?.kind !== 'settled')
      return [`${promise} ${taskIdOf(task)} has no final line in ${id}, and is ${outcome}`];
    const { node } = line;
    const isRight = node.outcome === outcome && node.by === by && (node.late === true) === late;
    return found(
      !isRight,
      () => `${promise} the line of ${node.taskId} in ${id} says ${node.outcome}, the streams say ${outcome}`,
    );
  });
  const beyond = [...lines.keys()].filter((taskId) => !expected.has(taskOf(taskId)));
  return [...missing, ...beyond.map((taskId) => `(4) ${id} has a line of ${taskId}, outside its scope`)];
};

/** (4) One final line for every task in scope, and the right one; (5) late children under the right ids. */
const certificatesAreRight = (worlds: Worlds, world: World): readonly string[] =>
  eachCancellation(worlds, (id, index) => {
    const log = cancellationAt(world, index).fold;
    const scope = scopeAt(worlds, world, index);
    if (scope === undefined) return found(log !== undefined, () => `(4) ${id} is open, and never began`);
    if (log === undefined) return found(scope.kind !== 'parentEnd', () => `(4) ${id} is not open`);
    return [
      ...lineFaults(id, log, expectedOf(worlds, world, index)),
      ...found(log.status === 'running', () => `(4) ${id} is not settled`),
    ];
  });

const unfinished = (move: Move | undefined): readonly string[] =>
  move === undefined ? [] : [`(6) a saga that starts at the beginning appends ${showMove(move)}`];

/** (6) A saga that starts at the beginning appends nothing. */
const replayIsSilent = (worlds: Worlds, world: World): readonly string[] => {
  const { announces } = worlds.rules.runtime;
  const links = world.tasks.flatMap(({ index }) =>
    announces ? unfinished(announcement(worlds, world, index)) : [],
  );
  const ofLateLinks = world.lates.flatMap((late) => {
    const indexes: number[] = [];
    for (let head: typeof late | undefined = late; head !== undefined; head = head.before)
      indexes.push(...meaningOf(worlds, world, head).cancellations);
    return indexes;
  });
  const all = new Set([...worlds.cancellationIds.keys(), ...ofLateLinks]);
  const duties = [...all].flatMap((index) => dutyAt(worlds, world, index).moves.flatMap(unfinished));
  return [...links, ...duties];
};

/** (7) Orphans are stopped once, by whoever answers their parent's end, and only where they should be. */
const orphansAreStopped = (worlds: Worlds, world: World): readonly string[] =>
  eachTask(world, (fold, task) => {
    const { parent, end, state } = fold;
    const above = parent && taskAt(world, taskOf(parent.taskId)).fold;
    if (parent === undefined || above === undefined) return [];
    const answerer = answererOf(above);
    const isToEnd = parent.onEnd === 'cascade' && answerer !== undefined;
    const wasStopped = state === 'stopped' && end?.cancellationId !== undefined;
    const answer = answerer === 'own' ? worlds.endId(parent.taskId) : answerer;
    return [
      ...found(
        isToEnd && end === undefined,
        () => `(7) ${fold.taskId} lives, and was to end with ${parent.taskId}`,
      ),
      ...found(
        wasStopped && !isToEnd,
        () => `(7) ${fold.taskId} was stopped, and was not to end with its parent`,
      ),
      ...found(
        wasStopped && isToEnd && end.cancellationId !== answer,
        () => `(7) ${taskIdOf(task)} was stopped by ${end?.cancellationId ?? ''}, not by ${answer ?? ''}`,
      ),
    ];
  });

/** (7) The ledger answers an end only for children that were to end with it, and only an end that is its own to answer. */
const endsAreAnsweredOnce = (worlds: Worlds, world: World): readonly string[] =>
  eachTask(world, (fold, task) => {
    const answer = worlds.cancellation(worlds.endId(fold.taskId));
    const isOpen = cancellationAt(world, answer).fold !== undefined;
    if (!isOpen) return [];
    const hasReason =
      answererOf(fold) === 'own' &&
      childrenOf(world, task).some((child) => child.fold.parent?.onEnd === 'cascade');
    return found(!hasReason, () => `(7) the end of ${fold.taskId} is answered, for nobody`);
  });

const broken = (worlds: Worlds, world: World): readonly string[] => [
  ...everythingHasEnded(worlds, world),
  ...nothingElseWasTouched(worlds, world),
  ...everyChildIsAnnounced(world),
  ...certificatesAreRight(worlds, world),
  ...replayIsSilent(worlds, world),
  ...orphansAreStopped(worlds, world),
  ...endsAreAnsweredOnce(worlds, world),
];

/** Promises that a world breaks in which nothing is left to do. */
export const brokenPromises = (worlds: Worlds, world: World): readonly string[] => {
  world.known.quiet ??= broken(worlds, world);
  return world.known.quiet;
};
