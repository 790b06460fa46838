import { DomainError } from '../errors.js';
import type { TaskCommand } from './commands.js';
import { recordArtifact } from './decide/artifact.js';
import { cancel } from './decide/cancel.js';
import { carry, stopOrphan } from './decide/carry.js';
import { changeState } from './decide/change-state.js';
import { decline } from './decide/decline.js';
import { assignParent, linkChild } from './decide/links.js';
import { recordMessage } from './decide/message.js';
import { submit } from './decide/submit.js';
import { endAtDeadline, force } from './decide/timers.js';
import type { TaskEvent } from './events.js';
import type { Task } from './state.js';
import { assertReadable } from './unreadable.js';

const decideOn = (
  command: Exclude<TaskCommand, { type: 'SubmitTask' }>,
  task: Task,
): readonly TaskEvent[] => {
  switch (command.type) {
    case 'ChangeState':
      return changeState(command, task);
    case 'RecordArtifact':
      return recordArtifact(command, task);
    case 'RecordMessage':
      return recordMessage(command, task);
    case 'CancelTask':
      return cancel(command, task);
    case 'AssignParent':
      return assignParent(command, task);
    case 'LinkChild':
      return linkChild(command, task);
    case 'DeclineCancellation':
      return decline(command, task);
    case 'CarryCancellation':
      return carry(command, task);
    case 'StopOrphan':
      return stopOrphan(command, task);
    case 'ForceCancellation':
      return force(command, task);
    case 'EndAtDeadline':
      return endAtDeadline(command, task);
  }
};

/**
 * What a command makes happen, on the task as its own stream tells it: events to append in one append, or none
 * where it changes nothing. No event is earlier than the one before it.
 * @throws DomainError where a rule is broken; nothing may be appended then
 */
export const decide = (command: TaskCommand, task: Task | undefined): readonly TaskEvent[] => {
  if (task !== undefined) assertReadable(task);
  if (command.type === 'SubmitTask') return submit(command, task);
  if (task === undefined) throw new DomainError('task-not-found', 'no such task');
  return decideOn(command, task);
};
