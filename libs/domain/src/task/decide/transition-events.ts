import { plain } from '../../content.js';
import type { Content } from '../../content.js';
import { defined } from '../../json.js';
import { later, toInstant } from '../../time.js';
import type { ChangeState } from '../commands.js';
import type { Reported, StatusBody, TaskEvent } from '../events.js';
import type { Task } from '../state.js';
import { completedWith } from './result.js';

const reported = (command: ChangeState, task: Task): Reported =>
  defined({
    at: later(command.at, task.updatedAt),
    occurredAt: command.occurredAt === undefined ? undefined : toInstant(command.occurredAt, 'occurredAt'),
  });

const bodyOf = ({ message, reason, metadata }: ChangeState): StatusBody =>
  defined({ message, reason, metadata });

type StatusData = Reported & { readonly content: Content<StatusBody> };

const working = (data: StatusData, { state }: Task): TaskEvent => {
  if (state === 'working') return { type: 'TaskProgressed', data };
  return { type: state === 'submitted' ? 'TaskStarted' : 'TaskResumed', data };
};

const question = (command: ChangeState, data: StatusData) => {
  const { checkpointToken, askSchema } = command;
  const content = plain({ ...data.content.body, ...defined({ askSchema }) });
  return { ...data, ...defined({ checkpointToken }), content };
};

/** The agent answers the cancellation that is open, in the words of the request, and so shows that it knows. */
const answer = (data: StatusData, { openCancellation: open }: Task): readonly TaskEvent[] => {
  if (open === undefined) return [];
  const { cancellationId, stoppedBy, request } = open;
  const { at, content } = data;
  return [
    {
      type: 'TaskCanceled',
      data: { at, cancellationId, stoppedBy, request, acknowledged: true, content },
    },
  ];
};

/** What a transition that is allowed records. */
export const transitionEvents = (command: ChangeState, task: Task): readonly TaskEvent[] => {
  const data: StatusData = { ...reported(command, task), content: plain(bodyOf(command)) };
  switch (command.to) {
    case 'submitted':
      return [];
    case 'working':
      return [working(data, task)];
    case 'input-required':
      return [{ type: 'TaskInputRequested', data: question(command, data) }];
    case 'auth-required':
      return [{ type: 'TaskAuthRequested', data: question(command, data) }];
    case 'completed':
      return completedWith(command.result, { type: 'TaskCompleted', data }, task);
    case 'failed':
      return [{ type: 'TaskFailed', data }];
    case 'rejected':
      return [{ type: 'TaskRejected', data }];
    case 'canceled':
      return answer(data, task);
    case 'stopped':
      return command.stoppedBy === undefined
        ? []
        : [{ type: 'TaskStopped', data: { ...data, stoppedBy: command.stoppedBy } }];
  }
};
