import { factOn, hasChild } from '#domain';
import type { AnyHead, CancellationHead, LateHead, TaskHead } from './streams.js';
import { taskIdOf, taskOf, type World, type Worlds } from './world.js';

// What must hold in every state, whatever is still to be done; judged from the event that was just appended.

const afterEnd = ({ before, event, index }: TaskHead): string | undefined =>
  before?.fold?.end === undefined
    ? undefined
    : `(0) ${event?.type ?? ''} after the terminal event of ${taskIdOf(index)}`;

const secondParent = ({ before, event, index }: TaskHead): string | undefined =>
  event?.type === 'ParentAssigned' && before?.fold?.parent !== undefined
    ? `(0) a second owning parent of ${taskIdOf(index)}`
    : undefined;

const secondSubmit = ({ before, event, index }: TaskHead): string | undefined =>
  event?.type === 'TaskSubmitted' && before?.event !== undefined
    ? `(0) a second TaskSubmitted of ${taskIdOf(index)}`
    : undefined;

const secondRequest = ({ before, event, index }: TaskHead): string | undefined =>
  event?.type === 'CancellationRequested' && before?.fold?.openCancellation !== undefined
    ? `(0) ${taskIdOf(index)} is asked while it is asked`
    : undefined;

const isLinked = (world: World, parent: number, childId: string): boolean => {
  const own = world.tasks[parent]?.fold;
  const late = world.lates[parent]?.fold;
  return (own !== undefined && hasChild(own, childId)) || (late !== undefined && hasChild(late, childId));
};

const doubleLink = (world: World, { event, index }: TaskHead | LateHead): string | undefined => {
  if (event?.type !== 'ChildLinked' && event?.type !== 'LateChildLinked') return undefined;
  const childId = event.data.child.taskId;
  return isLinked(world, index, childId)
    ? `(0) a double link of ${childId} on ${taskIdOf(index)}`
    : undefined;
};

const lateOnOpen = (world: World, { event, index }: LateHead): string | undefined =>
  event?.type === 'LateChildLinked' && world.tasks[index]?.fold?.end === undefined
    ? `(0) a late link on ${taskIdOf(index)}, which is open`
    : undefined;

const nameOf = (worlds: Worlds, index: number): string => worlds.cancellationIds[index] ?? '';

const secondOpening = (worlds: Worlds, { before, event, index }: CancellationHead): string | undefined =>
  event?.type === 'CancellationOpened' && before?.event !== undefined
    ? `(0) a second opening of ${nameOf(worlds, index)}`
    : undefined;

/** Of a task that could be reached all along. */
const secondLine = (worlds: Worlds, { before, event, index }: CancellationHead): string | undefined => {
  if (event?.type !== 'NodesSettled') return undefined;
  const twice = event.data.nodes.find(
    ({ taskId }) => factOn(before?.fold?.nodes ?? [], taskId)?.kind === 'settled',
  );
  return twice && `(0) a second line of ${twice.taskId} in ${nameOf(worlds, index)}`;
};

/** Nothing below an asked task is touched before it has ended; the root of the descendants only is no node. */
const reachedTooEarly = (
  worlds: Worlds,
  world: World,
  { event, fold, index }: TaskHead,
): string | undefined => {
  const isCarried =
    (event?.type === 'TaskCanceled' || event?.type === 'CancellationRequested') &&
    event.data.stoppedBy === 'parent';
  if (!isCarried || fold?.parent === undefined) return undefined;
  const above = taskOf(fold.parent.taskId);
  if (world.tasks[above]?.fold?.end !== undefined) return undefined;
  const opened = world.cancellations[worlds.cancellation(event.data.cancellationId)]?.fold;
  if (opened?.descendantsOnly === true && opened.rootTaskId === fold.parent.taskId) return undefined;
  return `(0) ${taskIdOf(index)} is reached by ${event.data.cancellationId} while ${taskIdOf(above)} is open`;
};

const some = (...problems: readonly (string | undefined)[]): readonly string[] =>
  problems.filter((problem) => problem !== undefined);

/** @param world as it was before the event */
export const problemsOf = (worlds: Worlds, world: World, head: AnyHead): readonly string[] => {
  switch (head.kind) {
    case 'task':
      return some(
        afterEnd(head),
        secondParent(head),
        secondSubmit(head),
        secondRequest(head),
        doubleLink(world, head),
        reachedTooEarly(worlds, world, head),
      );
    case 'late':
      return some(doubleLink(world, head), lateOnOpen(world, head));
    case 'cancellation':
      return some(secondOpening(worlds, head), secondLine(worlds, head));
  }
};
