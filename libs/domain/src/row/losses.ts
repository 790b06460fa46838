import type { Task, TaskState } from '../task/state.js';
import type { Loss } from './row.js';

/** What the five words of `status`, and the A2A name beside them, do not say. */
const lossOf: Readonly<Partial<Record<TaskState, Loss>>> = {
  submitted: { field: 'status', note: 'running also means accepted and not started yet' },
  'auth-required': { field: 'status', note: 'parked also means waiting for credentials' },
  rejected: { field: 'status', note: 'failed also means rejected' },
  stopped: { field: 'state', note: 'A2A knows no stopped; stoppedBy says what killed the task' },
};

export const rowLosses = ({ state }: Pick<Task, 'state'>): readonly Loss[] => {
  const loss = lossOf[state];
  return loss === undefined ? [] : [loss];
};
