import { change } from '../testing/commands.js';
import {
  authRequested,
  canceled,
  completed,
  failed,
  inputRequested,
  rejected,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import type { TaskEvent } from './events.js';
import { openStates, terminalStates, type TaskState } from './state.js';
import { allowedTransitions } from './transitions.js';

const states = [...openStates, ...terminalStates] as const;

const historyOf: Readonly<Record<TaskState, readonly TaskEvent[]>> = {
  submitted: [submitted],
  working: [submitted, started()],
  'input-required': [submitted, started(), inputRequested()],
  'auth-required': [submitted, started(), authRequested()],
  completed: [submitted, completed()],
  failed: [submitted, failed()],
  rejected: [submitted, rejected()],
  canceled: [submitted, canceled()],
  stopped: [submitted, stopped()],
};

const no = 'transition-not-allowed';
const end = 'task-is-terminal';

// One row for each state before, one column for each state asked for without a message; '' is a no-op.
const cells: Readonly<Record<TaskState, readonly string[]>> = {
  //  submitted, working, input-required, auth-required, completed, failed, rejected, canceled, stopped
  submitted: [
    no,
    'TaskStarted',
    'TaskInputRequested',
    'TaskAuthRequested',
    'TaskCompleted',
    'TaskFailed',
    'TaskRejected',
    no,
    'TaskStopped',
  ],
  working: [
    no,
    '',
    'TaskInputRequested',
    'TaskAuthRequested',
    'TaskCompleted',
    'TaskFailed',
    'TaskRejected',
    no,
    'TaskStopped',
  ],
  'input-required': [
    no,
    'TaskResumed',
    '',
    'TaskAuthRequested',
    'TaskCompleted',
    'TaskFailed',
    'TaskRejected',
    no,
    'TaskStopped',
  ],
  'auth-required': [
    no,
    'TaskResumed',
    'TaskInputRequested',
    '',
    'TaskCompleted',
    'TaskFailed',
    'TaskRejected',
    no,
    'TaskStopped',
  ],
  completed: [end, end, end, end, '', end, end, end, end],
  failed: [end, end, end, end, end, '', end, end, end],
  rejected: [end, end, end, end, end, end, '', end, end],
  canceled: [end, end, end, end, end, end, end, '', end],
  stopped: [end, end, end, end, end, end, end, end, ''],
};

const table = states.flatMap((from) =>
  states.map((to, column) => ({ from, to, expected: cells[from][column] ?? 'missing' })),
);

describe('the transition table', () => {
  it.each(table)('$from → $to: $expected', ({ from, to, expected }) => {
    const asked = given(...historyOf[from]).when(change(to));
    if (expected === no || expected === end) asked.thenRefuses(expected);
    else if (expected === '') asked.thenNothing();
    else asked.thenTypes(expected);
  });

  it.each(states)('a move from %s leads to the state that was asked for', (from) => {
    for (const to of allowedTransitions(from)) {
      if (to !== 'canceled')
        given(...historyOf[from])
          .when(change(to))
          .thenTask({ state: to });
    }
  });

  it('lists for an open state every other one but submitted', () => {
    expect(allowedTransitions('working')).toEqual([
      'input-required',
      'auth-required',
      'completed',
      'failed',
      'rejected',
      'canceled',
      'stopped',
    ]);
  });

  it('lists nothing for a terminal state', () => {
    expect(terminalStates.flatMap(allowedTransitions)).toEqual([]);
  });
});
