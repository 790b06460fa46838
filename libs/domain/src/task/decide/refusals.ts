import { DomainError } from '../../errors.js';
import { a2aStateOf } from '../../row/status.js';
import type { Task } from '../state.js';

/** What a terminal task's refusal says of it. */
type Ended = Pick<Task, 'taskId' | 'state' | 'stoppedBy' | 'revision'>;

export const taskIsTerminal = ({ taskId, state, stoppedBy, revision }: Ended): DomainError =>
  new DomainError('task-is-terminal', `task ${taskId} has ended: ${state}`, {
    taskId,
    state: a2aStateOf(state, stoppedBy),
    revision,
  });
