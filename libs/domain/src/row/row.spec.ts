import {
  at,
  authRequested,
  cancellationRequested,
  canceled,
  childLinked,
  completed,
  failed,
  folded,
  inputRequested,
  parentAssigned,
  rejected,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { change } from '../testing/commands.js';
import { decide } from '../task/decide.js';
import type { StoppedBy, TaskEvent } from '../task/events.js';
import { openStates, terminalStates, type TaskState } from '../task/state.js';
import { stopCauses } from '../task/stop-causes.js';
import { flagUnreadable } from '../task/unreadable.js';
import { resultAmong, resultOf } from './result.js';
import { rowOf } from './row-of.js';
import type { LedgerRow } from './row.js';
import { semaRowOf, semaStateOf, semaStates } from './sema.js';
import { a2aStateOf, rowStatusOf } from './status.js';

const taskOf = (...events: readonly TaskEvent[]) => {
  const task = folded(...events);
  if (task === undefined) throw new Error('no task');
  return task;
};

const rowAfter = (...events: readonly TaskEvent[]): LedgerRow => rowOf(taskOf(...events));

describe('a state in the words of the ledger and of A2A', () => {
  it.each([
    ['submitted', 'running', 'TASK_STATE_SUBMITTED'],
    ['working', 'running', 'TASK_STATE_WORKING'],
    ['input-required', 'parked', 'TASK_STATE_INPUT_REQUIRED'],
    ['auth-required', 'parked', 'TASK_STATE_AUTH_REQUIRED'],
    ['completed', 'completed', 'TASK_STATE_COMPLETED'],
    ['failed', 'failed', 'TASK_STATE_FAILED'],
    ['rejected', 'failed', 'TASK_STATE_REJECTED'],
    ['canceled', 'killed', 'TASK_STATE_CANCELED'],
    ['stopped', 'killed', 'TASK_STATE_FAILED'],
  ] as const)('%s is %s and %s', (state, status, name) => {
    expect(rowStatusOf(state)).toBe(status);
    expect(a2aStateOf(state)).toBe(name);
  });

  it('leaves no state out', () => {
    const states: readonly TaskState[] = [...openStates, ...terminalStates];
    expect(states.map((state) => [rowStatusOf(state), a2aStateOf(state)]).flat()).not.toContain(undefined);
  });

  it.each([...stopCauses])('stopped by %s is failed in A2A', (cause) => {
    expect(a2aStateOf('stopped', cause)).toBe('TASK_STATE_FAILED');
  });

  it.each(['user', 'parent'] as const)('killed by %s is canceled in A2A', (cause) => {
    expect(a2aStateOf('canceled', cause)).toBe('TASK_STATE_CANCELED');
    expect(a2aStateOf('stopped', cause)).toBe('TASK_STATE_CANCELED');
  });
});

describe('a row', () => {
  it('holds of a new task nothing that was not said', () => {
    expect(rowAfter(submitted)).toEqual({
      taskId: 't1',
      contextId: 'c1',
      tenant: 'acme',
      owner: 'alice',
      revision: 0,
      status: 'running',
      state: 'TASK_STATE_SUBMITTED',
      admitted: false,
      children: { total: 0 },
      createdAt: at(0),
      updatedAt: at(0),
      losses: [{ field: 'status', note: 'running also means accepted and not started yet' }],
    });
  });

  it('names parent, children, token and the cancellation that is open', () => {
    const row = rowAfter(
      submitted,
      parentAssigned(1, 'p1'),
      childLinked(1, 'k1'),
      inputRequested(2, 'token'),
      cancellationRequested(3),
    );
    expect(row).toMatchObject({
      parentTaskId: 'p1',
      policy: 'cascade',
      onEnd: 'abandon',
      children: { total: 1 },
      checkpointToken: 'token',
      cancellationId: 'asked',
      cancellation: { requestedAt: at(3), dueAt: at(32) },
    });
  });

  it('says who killed the task', () => {
    expect(rowAfter(submitted, canceled())).toMatchObject({
      status: 'killed',
      stoppedBy: 'user',
      cancellationId: 'x1',
    });
    expect(rowAfter(submitted, stopped())).toMatchObject({ status: 'killed', stoppedBy: 'operator' });
  });

  it('carries a result that is given to it, null too', () => {
    expect(rowOf(taskOf(submitted, completed()), null)).toHaveProperty('result', null);
    expect(rowOf(taskOf(submitted, completed()))).not.toHaveProperty('result');
  });

  it('says that it is flagged', () => {
    const task = flagUnreadable(taskOf(submitted), { revision: 1, type: 'X' });
    expect(rowOf(task)).toMatchObject({ revision: 0, flagged: { revision: 1, type: 'X' } });
  });

  it.each([
    ['working', [started()], []],
    ['input-required', [inputRequested()], []],
    ['auth-required', [authRequested()], ['status']],
    ['completed', [completed()], []],
    ['failed', [failed()], []],
    ['rejected', [rejected()], ['status']],
    ['canceled', [canceled()], []],
    ['stopped', [stopped()], ['state']],
  ])('lists what its words lose of %s', (_state, events: readonly TaskEvent[], fields) => {
    expect(rowAfter(submitted, ...events).losses.map(({ field }) => field)).toEqual(fields);
  });
});

describe('a result comes back from the artifact that shows it', () => {
  it.each(['text', '', 42, null, false, ['a'], { text: 'x' }])('%j', (result) => {
    const [event] = decide(change('completed', { result }), taskOf(submitted));
    if (event?.type !== 'ArtifactRecorded') throw new Error('no artifact');
    const { artifact } = event.data.content.body;
    expect(resultOf(artifact)).toEqual(result);
    expect(resultAmong('t1', [{ artifactId: 'other', parts: [{ text: 'no' }] }, artifact])).toEqual(result);
  });

  it('is absent where there is none', () => {
    expect(resultAmong('t1', [])).toBeUndefined();
  });
});

describe('the mapping of sema, literal by literal', () => {
  it.each([
    ['running', undefined, 'working'],
    ['parked', undefined, 'input-required'],
    ['completed', undefined, 'completed'],
    ['failed', undefined, 'failed'],
    ['killed', 'user', 'canceled'],
    ['killed', 'parent', 'canceled'],
    ['killed', undefined, 'failed'],
    ...stopCauses.map((cause) => ['killed', cause, 'failed'] as const),
  ] as const)('a row %s by %s is %s', (status, stoppedBy: StoppedBy | undefined, state) => {
    expect(semaStateOf({ status, ...(stoppedBy !== undefined && { stoppedBy }) })).toBe(state);
  });

  it.each([
    ['submitted', 'running', 'status', 'working'],
    ['working', 'running', undefined, 'working'],
    ['input-required', 'parked', undefined, 'input-required'],
    ['completed', 'completed', undefined, 'completed'],
    ['canceled', 'killed', 'stoppedBy', 'failed'],
    ['failed', 'failed', undefined, 'failed'],
    ['rejected', 'failed', 'admitted', 'failed'],
    ['auth-required', 'failed', 'checkpointToken', 'failed'],
    ['unknown', 'failed', 'status', 'failed'],
  ] as const)('%s becomes %s, loses %s and comes back as %s', (state, status, lost, back) => {
    const row = semaRowOf(state);
    expect(row.status).toBe(status);
    expect(row.lossy).toBe(lost !== undefined);
    expect(row.losses.map(({ field }) => field)).toEqual(lost === undefined ? [] : [lost]);
    expect(semaStateOf(row)).toBe(back);
  });

  it('keeps the order of the list', () => {
    expect(semaStates).toEqual([
      'submitted',
      'working',
      'input-required',
      'completed',
      'canceled',
      'failed',
      'rejected',
      'auth-required',
      'unknown',
    ]);
  });
});
