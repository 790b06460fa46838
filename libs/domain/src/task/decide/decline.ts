import { plain } from '../../content.js';
import { DomainError } from '../../errors.js';
import { defined } from '../../json.js';
import type { DeclineCancellation } from '../commands.js';
import type { TaskEvent } from '../events.js';
import { isTerminal, type Task } from '../state.js';
import { allowedTransitions } from '../transitions.js';
import { writtenAt } from './cancellation-events.js';
import { taskIsTerminal } from './refusals.js';

/** Only who is asked can say no. */
export const decline = (command: DeclineCancellation, task: Task): readonly TaskEvent[] => {
  const { state, openCancellation: open } = task;
  if (isTerminal(state)) throw taskIsTerminal(task);
  if (open === undefined) {
    throw new DomainError('transition-not-allowed', 'no cancellation is open that could be declined', {
      from: state,
      to: 'declined',
      allowed: allowedTransitions(state).filter((to) => to !== 'canceled'),
    });
  }
  const { cancellationId } = open;
  const content = plain(defined({ note: command.note }));
  const at = writtenAt(command, task);
  return [{ type: 'CancellationDeclined', data: { at, cancellationId, content } }];
};
