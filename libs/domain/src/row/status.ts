import type { StoppedBy } from '../task/events.js';
import type { TaskState } from '../task/state.js';
import type { A2AState, RowStatus } from './row.js';

const statusOf = {
  submitted: 'running',
  working: 'running',
  'input-required': 'parked',
  'auth-required': 'parked',
  completed: 'completed',
  failed: 'failed',
  rejected: 'failed',
  canceled: 'killed',
  stopped: 'killed',
} as const satisfies Record<TaskState, RowStatus>;

/** The ledger's word for a state. */
export const rowStatusOf = (state: TaskState): RowStatus => statusOf[state];

const a2aNameOf = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
  canceled: 'TASK_STATE_CANCELED',
  stopped: 'TASK_STATE_FAILED',
} as const satisfies Record<TaskState, A2AState>;

/** The states that A2A shows under one name: a filter by the name must find all of them. */
export const statesShownAs = (name: A2AState): readonly TaskState[] =>
  (Object.keys(a2aNameOf) as TaskState[]).filter((state) => a2aNameOf[state] === name);

/** The names of A2A 1.0 that a task of the ledger can have. */
export const a2aStates: readonly A2AState[] = [...new Set(Object.values(a2aNameOf))];

/** Killed by whoever asked for a cancellation is canceled in A2A; killed by anything else is failed. */
const cancels = (stoppedBy: StoppedBy | undefined): boolean => stoppedBy === 'user' || stoppedBy === 'parent';

/** The A2A 1.0 name of a task's state (specification §4.1.3). */
export const a2aStateOf = (state: TaskState, stoppedBy?: StoppedBy): A2AState =>
  state === 'stopped' && cancels(stoppedBy) ? 'TASK_STATE_CANCELED' : a2aNameOf[state];
