import { plain } from '../../content.js';
import { DomainError } from '../../errors.js';
import { defined } from '../../json.js';
import { assertId } from '../../text/ids.js';
import { justAfter, later } from '../../time.js';
import type { ParentFacts, SubmitTask } from '../commands.js';
import type { TaskEvent } from '../events.js';
import { assertSubmitServed } from '../not-yet.js';
import type { Task } from '../state.js';
import { assertMessage } from './content.js';
import { assertLink, assertParentOpen, parentLink } from './links.js';

const assertForm = (command: SubmitTask): void => {
  assertId(command.taskId, 'taskId');
  assertId(command.contextId, 'contextId');
  assertSubmitServed(command);
  if (command.link !== undefined) assertLink(command.link);
  if (command.message !== undefined) assertMessage(command.message, command);
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
  if (command.parentTask !== undefined) assertParentOpen(command.parentTask);
  const { taskId, contextId, link, deadline, message, metadata, askSchema } = command;
  const data = defined({
    at: createdAt(command.at, command.parentTask),
    taskId,
    contextId,
    link,
    parent,
    rootTaskId: command.parentTask?.rootTaskId ?? taskId,
    deadline,
    messageId: message?.messageId,
    content: plain(defined({ message, metadata, askSchema })),
  });
  return [{ type: 'TaskSubmitted', data }];
};
