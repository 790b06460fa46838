import { plain } from '../content.js';
import { endAtDeadline, submit } from '../testing/commands.js';
import {
  at,
  canceled,
  cancellationRequested,
  completed,
  inputRequested,
  started,
  stopped,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import type { TaskEvent } from './events.js';

const due: TaskEvent = {
  type: 'TaskSubmitted',
  data: { at: at(0), taskId: 't1', contextId: 'c1', rootTaskId: 't1', deadline: at(60), content: plain({}) },
};
const ending = (second: number) =>
  stopped(second, {
    stoppedBy: 'deadline',
    content: plain({ reason: `the deadline of the task has passed: ${at(60)}` }),
  });

describe('a deadline', () => {
  it('is given at the beginning, in any offset', () => {
    given()
      .when(submit({ deadline: '2026-01-01T13:00:21+01:00' }))
      .thenTask({ deadline: at(21) });
  });

  it.each([
    ['now', at(20)],
    ['past', at(19)],
    ['a day that is none', '2026-02-30T00:00:00Z'],
    ['no instant', 'soon'],
  ])('is refused when it is %s', (_what, deadline) => {
    given().when(submit({ deadline })).thenRefusesField('deadline');
  });

  it.each([
    ['submitted', []],
    ['working', [started()]],
    ['waiting for an answer', [started(), inputRequested()]],
    ['asked to stop', [started(), cancellationRequested()]],
  ])('stops a task that is %s', (_state, history) => {
    given(due, ...history)
      .when(endAtDeadline(60))
      .then(ending(60));
    given(due, ...history)
      .when(endAtDeadline(61))
      .thenTask({ state: 'stopped', stoppedBy: 'deadline' });
  });

  it('never stops it early', () => {
    given(due).when({ type: 'EndAtDeadline', at: '2026-01-01T12:00:59.999Z' }).thenNothing();
  });

  it.each([completed(), canceled(), stopped()])('leaves a task alone that has ended: $type', (end) => {
    given(due, end).when(endAtDeadline(60)).thenNothing();
  });

  it('that nobody gave never comes', () => {
    given({ ...due, data: { ...due.data, deadline: undefined } as never })
      .when(endAtDeadline(60))
      .thenNothing();
  });
});
