import { DomainError, invalid } from '../../errors.js';
import { assertId } from '../../text/ids.js';
import { toInstant } from '../../time.js';
import type { ChangeState } from '../commands.js';
import type { TaskEvent } from '../events.js';
import { isTaskState, isTerminal, type Task, type TaskState } from '../state.js';
import { isStopCause, stopCauses } from '../stop-causes.js';
import { allowedTransitions, isQuestion } from '../transitions.js';
import { assertMessage } from './content.js';
import { taskIsTerminal } from './refusals.js';
import { transitionEvents } from './transition-events.js';

const onlyWith = (value: unknown, fits: boolean, field: string, states: string): void => {
  if (value !== undefined && !fits) throw invalid(field, `only goes with ${states}`);
};

/** A report that would mean nothing is refused before anything is decided (C07). */
const assertForm = (command: ChangeState, task: Task): void => {
  const { to, message, stoppedBy, result, askSchema, checkpointToken, occurredAt } = command;
  if (!isTaskState(to)) throw invalid('to', 'must be a state');
  if (to === 'stopped' && !isStopCause(stoppedBy)) {
    throw invalid('stoppedBy', `must be one of ${stopCauses.join(', ')}`);
  }
  onlyWith(stoppedBy, to === 'stopped', 'stoppedBy', 'to: stopped');
  onlyWith(result, to === 'completed', 'result', 'to: completed');
  onlyWith(askSchema, isQuestion(to), 'askSchema', 'to: input-required and to: auth-required');
  if (checkpointToken !== undefined) assertId(checkpointToken, 'checkpointToken');
  if (occurredAt !== undefined) toInstant(occurredAt, 'occurredAt');
  if (message !== undefined) assertMessage(message, task);
};

/** A cancellation is answered, never made up, by an agent. */
const isAllowed = (to: TaskState, task: Task): boolean =>
  allowedTransitions(task.state).includes(to) && (to !== 'canceled' || task.openCancellation !== undefined);

const assertAllowed = (to: TaskState, task: Task): void => {
  if (isAllowed(to, task)) return;
  throw new DomainError('transition-not-allowed', `a task that is ${task.state} cannot become ${to} now`, {
    from: task.state,
    to,
    allowed: allowedTransitions(task.state).filter((state) => isAllowed(state, task)),
  });
};

/** Nothing to add to an end that stands. */
const repeatsEnd = ({ to, message, reason, result }: ChangeState, { state }: Task): boolean =>
  to === state && message === undefined && reason === undefined && result === undefined;

const onEnded = (command: ChangeState, task: Task): readonly TaskEvent[] => {
  if (repeatsEnd(command, task)) return [];
  throw taskIsTerminal(task);
};

/** The same state again is only an event where it says something: a message, or another question. */
const onSameState = (command: ChangeState, task: Task): readonly TaskEvent[] => {
  const { message, askSchema, checkpointToken } = command;
  const asksAnew = isQuestion(task.state) && (askSchema !== undefined || checkpointToken !== undefined);
  return message !== undefined || asksAnew ? transitionEvents(command, task) : [];
};

/** Whoever resumes a task at a checkpoint shows that this checkpoint is meant. */
const assertToken = ({ to, checkpointToken }: ChangeState, task: Task): void => {
  if (to !== 'working' || task.checkpointToken === undefined) return;
  if (checkpointToken !== task.checkpointToken)
    throw invalid('checkpointToken', 'is not that of the question');
};

export const changeState = (command: ChangeState, task: Task): readonly TaskEvent[] => {
  assertForm(command, task);
  if (isTerminal(task.state)) return onEnded(command, task);
  if (command.to === task.state && command.to !== 'submitted') return onSameState(command, task);
  assertAllowed(command.to, task);
  assertToken(command, task);
  return transitionEvents(command, task);
};
