import { openStates, terminalStates, type OpenState, type TaskState } from './state.js';

const fromOpen = [...openStates, ...terminalStates] as const;

/**
 * The transition table: every open state may become every other one but submitted, which is only born. A terminal
 * state is never left. The same state again is no transition. `canceled` needs a cancellation that is asked for.
 */
const table: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: fromOpen.filter((to) => to !== 'submitted'),
  working: fromOpen.filter((to) => to !== 'submitted' && to !== 'working'),
  'input-required': fromOpen.filter((to) => to !== 'submitted' && to !== 'input-required'),
  'auth-required': fromOpen.filter((to) => to !== 'submitted' && to !== 'auth-required'),
  completed: [],
  failed: [],
  rejected: [],
  canceled: [],
  stopped: [],
};

/** The states that a task in `state` may move to, in the order of the states' list. */
export const allowedTransitions = (state: TaskState): readonly TaskState[] => table[state];

const questions: ReadonlySet<TaskState> = new Set<OpenState>(['input-required', 'auth-required']);

/** Whether the task waits for somebody: for an answer, or for credentials. */
export const isQuestion = (state: TaskState): state is 'input-required' | 'auth-required' =>
  questions.has(state);
