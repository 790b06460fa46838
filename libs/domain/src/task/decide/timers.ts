import { plain } from '../../content.js';
import type { EndAtDeadline, ForceCancellation } from '../commands.js';
import type { TaskEvent, TaskEventOf } from '../events.js';
import { isTerminal, type Task } from '../state.js';
import { writtenAt } from './cancellation-events.js';

// What a timer fires is decided again on the task as it is then; none fires early.

const isDue = (due: string | undefined, at: string): due is string => due !== undefined && due <= at;

/** Why stands with the request already. */
export const force = (command: ForceCancellation, task: Task): readonly TaskEvent[] => {
  const { openCancellation: open } = task;
  if (open?.cancellationId !== command.cancellationId || !isDue(open.dueAt, command.at)) return [];
  const { cancellationId, stoppedBy, request } = open;
  const at = writtenAt(command, task);
  return [
    {
      type: 'TaskCanceled',
      data: { at, cancellationId, stoppedBy, request, forced: true, content: plain({}) },
    },
  ];
};

export const endAtDeadline = (command: EndAtDeadline, task: Task): readonly TaskEventOf<'TaskStopped'>[] => {
  const { deadline, state } = task;
  if (isTerminal(state) || !isDue(deadline, command.at)) return [];
  const content = plain({ reason: `the deadline of the task has passed: ${deadline}` });
  return [{ type: 'TaskStopped', data: { at: writtenAt(command, task), stoppedBy: 'deadline', content } }];
};
