import { TaskState as WireState } from '@a2a-js/sdk';
import { a2aStateOf, a2aStates, statesShownAs, type A2AState, type Task, type TaskState } from '#domain';

const wireStates = {
  TASK_STATE_SUBMITTED: WireState.TASK_STATE_SUBMITTED,
  TASK_STATE_WORKING: WireState.TASK_STATE_WORKING,
  TASK_STATE_INPUT_REQUIRED: WireState.TASK_STATE_INPUT_REQUIRED,
  TASK_STATE_AUTH_REQUIRED: WireState.TASK_STATE_AUTH_REQUIRED,
  TASK_STATE_COMPLETED: WireState.TASK_STATE_COMPLETED,
  TASK_STATE_FAILED: WireState.TASK_STATE_FAILED,
  TASK_STATE_REJECTED: WireState.TASK_STATE_REJECTED,
  TASK_STATE_CANCELED: WireState.TASK_STATE_CANCELED,
} as const satisfies Record<A2AState, WireState>;

/** A task's state as the SDK's codec holds it. */
export const wireStateOf = (task: Pick<Task, 'state' | 'stoppedBy'>): WireState =>
  wireStates[a2aStateOf(task.state, task.stoppedBy)];

const statesByWire = new Map<WireState, readonly TaskState[]>(
  a2aStates.map((name) => [wireStates[name], statesShownAs(name)]),
);

/** Undefined for UNSPECIFIED: no filter. */
export const ledgerStatesOf = (state: WireState): readonly TaskState[] | undefined => statesByWire.get(state);

/** Names and numbers that a request may carry (ProtoJSON takes both). */
export const stateNames: readonly string[] = a2aStates;
export const stateNumbers: readonly number[] = [...statesByWire.keys()];
