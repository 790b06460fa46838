import type { Ancestor, LateCandidate } from '#domain';
import { cancellationAt, lateAt, taskAt } from './moves.js';
import type { AnyHead, CancellationHead, LateHead, TaskHead } from './streams.js';
import { taskOf, type World, type Worlds } from './world.js';

/** What a saga has to look after because of an event. */
export interface Meaning {
  readonly links: readonly number[];
  readonly cancellations: readonly number[];
}
const none: Meaning = { links: [], cancellations: [] };

const meaningOfTask = (worlds: Worlds, { event, fold, index, revision }: TaskHead): Meaning => {
  if (event === undefined || fold === undefined) return none;
  const { rules } = worlds;
  const isBorn = event.type === 'TaskSubmitted' && event.data.parent !== undefined;
  if (isBorn || event.type === 'ParentAssigned') return { ...none, links: [index] };
  if (event.type === 'TaskCanceled' || event.type === 'CancellationRequested') {
    const { cancellationId } = event.data;
    const isRoot = rules.rootRevisionOf(fold, cancellationId) === revision;
    return isRoot ? { ...none, cancellations: [worlds.cancellation(cancellationId)] } : none;
  }
  const isAnswered = fold.end?.revision === revision && rules.answerToEnd(fold) === 'own';
  return isAnswered ? { ...none, cancellations: [worlds.cancellation(worlds.endId(fold.taskId))] } : none;
};

/** The parent of a late link and what stands above it, as far as anything may have passed from there. */
const chainOf = (worlds: Worlds, world: World, parent: number): readonly Ancestor[] => {
  const chain: Ancestor[] = [];
  let index: number | undefined = parent;
  while (index !== undefined) {
    const task = taskAt(world, index).fold;
    if (task === undefined) break;
    chain.push({ task, late: lateAt(world, index).fold });
    const above = worlds.rules.ancestorToAsk(task);
    index = above === undefined ? undefined : taskOf(above);
  }
  return chain;
};

/** The cancellations that a late link may belong to, in the world as it is. */
export const candidatesOf = (
  worlds: Worlds,
  world: World,
  { event, index }: LateHead,
): readonly LateCandidate[] =>
  event?.type === 'LateChildLinked'
    ? worlds.rules.lateCandidates(chainOf(worlds, world, index), event.data.child)
    : [];

const meaningOfLate = (worlds: Worlds, world: World, head: LateHead): Meaning => {
  const cancellations = candidatesOf(worlds, world, head).flatMap((candidate) => {
    if (candidate.kind !== 'parentEnd') return [worlds.cancellation(candidate.cancellationId)];
    const answer = worlds.cancellation(worlds.endId(candidate.rootTaskId));
    const isOpen = cancellationAt(world, answer).fold !== undefined;
    return isOpen || candidate.mayOpen ? [answer] : [];
  });
  return { ...none, cancellations };
};

/** What the ledger answers of its own is completed once it is open, whoever opened it. */
const meaningOfOpening = (worlds: Worlds, { event, index }: CancellationHead): Meaning => {
  if (event?.type !== 'CancellationOpened') return none;
  const isRead =
    event.data.descendantsOnly || (event.data.parentEnded === true && worlds.rules.runtime.readsOwnOpenings);
  return isRead ? { ...none, cancellations: [index] } : none;
};

/** In the world as it is when the event is read. */
export const meaningOf = (worlds: Worlds, world: World, head: AnyHead): Meaning => {
  switch (head.kind) {
    case 'task':
      return meaningOfTask(worlds, head);
    case 'late':
      return meaningOfLate(worlds, world, head);
    case 'cancellation':
      return meaningOfOpening(worlds, head);
  }
};

/** Whether a saga takes an event up at all; a late link always, whatever it comes to mean. */
export const isRead = (worlds: Worlds, head: AnyHead): boolean => {
  if (head.kind === 'late') return head.event?.type === 'LateChildLinked';
  const { links, cancellations } = meaningOf(worlds, worlds.empty, head);
  return links.length + cancellations.length > 0;
};
