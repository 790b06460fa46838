import { plain } from '../../content.js';
import { DomainError } from '../../errors.js';
import { defined } from '../../json.js';
import { later } from '../../time.js';
import { assertRoom } from '../caps.js';
import type { RecordMessage } from '../commands.js';
import type { TaskEvent } from '../events.js';
import { isTerminal, type Task } from '../state.js';
import { assertMessage } from './content.js';
import { taskIsTerminal } from './refusals.js';

/** While a task is asked to stop, nobody gives it more to do; the agent may still speak. */
const assertNotAskedToStop = ({ openCancellation, taskId }: Task): void => {
  if (openCancellation === undefined) return;
  const { cancellationId, dueAt } = openCancellation;
  throw new DomainError(
    'cancellation-open',
    `task ${taskId} is asked to stop`,
    defined({ cancellationId, dueAt }),
  );
};

/** The state stays: what the message means for it is the agent's to say. */
export const recordMessage = (command: RecordMessage, task: Task): readonly TaskEvent[] => {
  const { message } = command;
  assertMessage(message, task);
  if (isTerminal(task.state)) throw taskIsTerminal(task);
  if (message.role === 'ROLE_USER') assertNotAskedToStop(task);
  assertRoom(task);
  const at = later(command.at, task.updatedAt);
  const { messageId, role } = message;
  return [{ type: 'MessageRecorded', data: { at, messageId, role, content: plain({ message }) } }];
};
