import { DomainError, invalid } from '../../errors.js';
import { assertId } from '../../text/ids.js';
import { hasChild } from '../children.js';
import type { AssignParent, LinkChild, ParentFacts, ParentInput, ParentOffer } from '../commands.js';
import type { Link, LinkTerms, ParentLink, TaskEvent } from '../events.js';
import { assertGrace } from '../request.js';
import { isTerminal, type Task } from '../state.js';
import { carriedBody, taskCanceled, writtenAt } from './cancellation-events.js';
import { taskIsTerminal } from './refusals.js';

type ParentTaken = Partial<Pick<ParentOffer, 'parentTask' | 'parentReason'>>;

const policies: readonly unknown[] = ['cascade', 'cooperative', 'abandon'];
const ends: readonly unknown[] = ['abandon', 'cascade'];

const assertTerms = ({ policy, onEnd, graceMs }: ParentInput, prefix: string): void => {
  if (policy !== undefined && !policies.includes(policy)) {
    throw invalid(`${prefix}policy`, 'must be cascade, cooperative or abandon');
  }
  if (onEnd !== undefined && !ends.includes(onEnd))
    throw invalid(`${prefix}onEnd`, 'must be abandon or cascade');
  assertGrace(graceMs, policy === 'cooperative', `${prefix}graceMs`);
};

/** The link as it is recorded: with what was not said. */
export const parentLink = (input: ParentInput, prefix: string): ParentLink => {
  assertTerms(input, prefix);
  const { taskId, policy = 'cascade', onEnd = 'abandon', graceMs } = input;
  return { taskId, policy, onEnd, ...(graceMs !== undefined && { graceMs }) };
};

/**
 * What becomes at once of a child whose parent has ended: canceled with it, where a cancellation that cascades ended
 * the parent and the link carries it. Undefined while the parent is open.
 * @throws DomainError `task-is-terminal` where no link can be taken up any more
 */
export const endWithParent = (
  { policy }: LinkTerms,
  { parentTask, parentReason }: ParentTaken,
): ((at: string) => TaskEvent) | undefined => {
  if (parentTask === undefined || !isTerminal(parentTask.state)) return undefined;
  const { cancellationId, request } = parentTask.end ?? {};
  const isCanceled = parentTask.state === 'canceled' && cancellationId !== undefined;
  if (!isCanceled || request?.cascade !== true || policy === 'abandon') throw taskIsTerminal(parentTask);
  return (at) =>
    taskCanceled({ cancellationId, stoppedBy: 'parent', request }, at, carriedBody(parentReason));
};

/** @throws DomainError `invalid-request` naming the field */
export const assertLink = (link: Link): void => {
  if (link.kind === 'run') assertId(link.id, 'link.id');
  else if (link.kind === 'subagent') assertId(link.handle, 'link.handle');
  else if ((link.kind as unknown) === 'turn') assertId(link.contextId, 'link.contextId');
  else throw invalid('link.kind', 'must be run, subagent or turn');
};

const refused = (reason: string, message: string): DomainError =>
  new DomainError('link-refused', message, { reason });

/**
 * An owning link runs from the smaller to the larger (createdAt, taskId): in a fixed order no race can close a
 * circle.
 */
const assertOrder = (parent: ParentFacts, child: Task): void => {
  if (parent.taskId === child.taskId) throw refused('same-task', 'a task is not its own child');
  const ordered =
    parent.createdAt === child.createdAt ? parent.taskId < child.taskId : parent.createdAt < child.createdAt;
  if (!ordered) throw refused('parent-is-younger', 'a parent must have been created before its child');
};

const sameTerms = (one: LinkTerms, other: LinkTerms): boolean =>
  one.policy === other.policy && one.onEnd === other.onEnd && one.graceMs === other.graceMs;

/** Asked again, the link that stands is no second one: whoever asks goes on with announcing it. */
export const assignParent = (command: AssignParent, task: Task): readonly TaskEvent[] => {
  const parent = parentLink(command.parent, '');
  if (task.parent?.taskId === parent.taskId && sameTerms(task.parent, parent)) return [];
  if (task.parent !== undefined) throw refused('has-parent', 'a task has one owning parent');
  assertOrder(command.parentTask, task);
  if (isTerminal(task.state)) throw taskIsTerminal(task);
  const end = endWithParent(parent, command);
  const at = writtenAt(command, task);
  const { rootTaskId } = command.parentTask;
  return [{ type: 'ParentAssigned', data: { at, parent, rootTaskId } }, ...(end ? [end(at)] : [])];
};

/** A parent that has ended takes no link any more; it is recorded as late then. */
export const linkChild = (command: LinkChild, task: Task): readonly TaskEvent[] => {
  if (hasChild(task, command.child.taskId)) return [];
  if (isTerminal(task.state)) throw taskIsTerminal(task);
  return [{ type: 'ChildLinked', data: { at: writtenAt(command, task), child: command.child } }];
};
