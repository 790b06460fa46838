import { plain } from '../../content.js';
import { DomainError, invalid } from '../../errors.js';
import { defined } from '../../json.js';
import { assertId } from '../../text/ids.js';
import { justAfter, later, toInstant } from '../../time.js';
import type { ParentFacts, SubmitTask } from '../commands.js';
import type { TaskEvent } from '../events.js';
import type { Task } from '../state.js';
import { assertMessage } from './content.js';
import { assertLink, endWithParent, parentLink } from './links.js';

const assertForm = (command: SubmitTask): void => {
  assertId(command.taskId, 'taskId');
  assertId(command.contextId, 'contextId');
  if (command.link !== undefined) assertLink(command.link);
  if (command.message !== undefined) assertMessage(command.message, command);
};

/** A task that is late when it begins would end before anybody saw it. */
const futureDeadline = ({ deadline, at }: SubmitTask): string | undefined => {
  if (deadline === undefined) return undefined;
  const instant = toInstant(deadline, 'deadline');
  if (instant <= at) throw invalid('deadline', 'must lie in the future');
  return instant;
};

/** A child is always younger than its parent. */
const createdAt = (at: string, parent: ParentFacts | undefined): string =>
  parent === undefined ? at : later(at, justAfter(parent.createdAt));

export const submit = (command: SubmitTask, task: Task | undefined): readonly TaskEvent[] => {
  if (task !== undefined) {
    throw new DomainError('idempotency-conflict', `task ${task.taskId} exists`, { taskId: task.taskId });
  }
  assertForm(command);
  const parent = command.parent && parentLink(command.parent, 'parent.');
  const end = parent && endWithParent(parent, command);
  const at = createdAt(command.at, command.parentTask);
  const { taskId, contextId, link, message, metadata, askSchema } = command;
  const data = defined({
    at,
    taskId,
    contextId,
    link,
    parent,
    rootTaskId: command.parentTask?.rootTaskId ?? taskId,
    deadline: futureDeadline(command),
    messageId: message?.messageId,
    content: plain(defined({ message, metadata, askSchema })),
  });
  return [{ type: 'TaskSubmitted', data }, ...(end ? [end(at)] : [])];
};
