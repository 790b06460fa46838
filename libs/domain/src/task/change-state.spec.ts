import { plain } from '../content.js';
import { change } from '../testing/commands.js';
import {
  agentMessage,
  at,
  cancellationDeclined,
  cancellationRequested,
  canceled,
  completed,
  inputRequested,
  message,
  progressed,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import type { StopCause } from './events.js';
import type { TaskState } from './state.js';
import { stopCauses } from './stop-causes.js';

const working = [submitted, started()] as const;

describe('the same state again', () => {
  it('with a message is progress', () => {
    given(...working)
      .when(change('working', { message: agentMessage('half') }))
      .then({
        type: 'TaskProgressed',
        data: { at: at(20), content: plain({ message: agentMessage('half') }) },
      });
  });

  it('with a message replaces a question', () => {
    given(...working, inputRequested())
      .when(change('input-required', { message: agentMessage('or this?') }))
      .thenTypes('TaskInputRequested');
  });

  it('with another token or schema replaces a question too', () => {
    given(...working, inputRequested())
      .when(change('input-required', { checkpointToken: 'k2' }))
      .thenTask({ checkpointToken: 'k2' });
  });

  it.each(['reason', 'metadata'] as const)('with nothing but %s changes nothing', (field) => {
    given(...working)
      .when(change('working', field === 'reason' ? { reason: 'x' } : { metadata: { x: 1 } }))
      .thenNothing();
  });
});

describe('an end that stands', () => {
  it.each([
    { said: { message: agentMessage('done') } },
    { said: { reason: 'done' } },
    { said: { result: 'done' } },
  ])('is not added to: $said', ({ said }) => {
    given(...working, completed())
      .when(change('completed', said))
      .thenRefuses('task-is-terminal', { taskId: 't1', state: 'TASK_STATE_COMPLETED', revision: 2 });
  });

  it('is acknowledged by canceled on a canceled task', () => {
    given(...working, canceled())
      .when(change('canceled'))
      .thenNothing();
  });

  it('by stopped shows as failed in a refusal, for A2A knows no stopped', () => {
    given(...working, stopped())
      .when(change('completed'))
      .thenRefuses('task-is-terminal', { state: 'TASK_STATE_FAILED' });
  });
});

describe('a checkpoint token', () => {
  const parked = [...working, inputRequested(2, 'k1')] as const;

  it('must be given to resume', () => {
    given(...parked)
      .when(change('working'))
      .thenRefusesField('checkpointToken');
    given(...parked)
      .when(change('working', { checkpointToken: 'k2' }))
      .thenRefusesField('checkpointToken');
  });

  it('resumes the task, and is gone', () => {
    const task = given(...parked, { type: 'TaskResumed', data: { at: at(3), content: plain({}) } }).task;
    given(...parked)
      .when(change('working', { checkpointToken: 'k1' }))
      .thenTypes('TaskResumed');
    expect(task).not.toHaveProperty('checkpointToken');
  });

  it('is not asked for where the task ends', () => {
    given(...parked)
      .when(change('failed'))
      .thenTypes('TaskFailed');
  });
});

describe('stopped', () => {
  it.each(stopCauses)('says %s', (stoppedBy) => {
    given(...working)
      .when(change('stopped', { stoppedBy }))
      .thenTask({ state: 'stopped', stoppedBy });
  });

  it.each(['user', 'parent', 'weather', undefined])('is not caused by %s', (cause) => {
    const { stoppedBy: _stoppedBy, ...command } = change('stopped');
    given(...working)
      .when(cause === undefined ? command : { ...command, stoppedBy: cause as StopCause })
      .thenRefusesField('stoppedBy');
  });

  it('alone has a cause', () => {
    given(...working)
      .when(change('failed', { stoppedBy: 'policy' }))
      .thenRefusesField('stoppedBy');
  });
});

describe('canceled', () => {
  it('is not set by an agent on its own', () => {
    given(...working)
      .when(change('canceled'))
      .thenRefuses('transition-not-allowed', {
        from: 'working',
        to: 'canceled',
        allowed: ['input-required', 'auth-required', 'completed', 'failed', 'rejected', 'stopped'],
      });
  });

  it('answers a cancellation that is open, under its id and in its words', () => {
    given(...working, cancellationRequested())
      .when(change('canceled', { message: agentMessage('stopped') }))
      .thenTask({ state: 'canceled', cancellationId: 'asked', stoppedBy: 'user' });
  });

  it('is not set any more after a decline', () => {
    given(...working, cancellationRequested(), cancellationDeclined())
      .when(change('canceled'))
      .thenRefuses('transition-not-allowed');
  });

  it('leaves the agent free to finish while it is asked', () => {
    const asked = given(...working, cancellationRequested()).when(change('completed'));
    asked.thenTypes('TaskCompleted');
    asked.thenTask({ state: 'completed' });
  });
});

describe('completed with a result', () => {
  it('records the result before the end, in one decision', () => {
    given(...working)
      .when(change('completed', { result: 'forty-two', occurredAt: '2026-01-01T12:00:19Z' }))
      .then(
        {
          type: 'ArtifactRecorded',
          data: {
            at: at(20),
            occurredAt: at(19),
            artifactId: 't1.result',
            append: false,
            lastChunk: true,
            content: plain({ artifact: { artifactId: 't1.result', parts: [{ text: 'forty-two' }] } }),
          },
        },
        { type: 'TaskCompleted', data: { at: at(20), occurredAt: at(19), content: plain({}) } },
      );
  });

  it.each([null, 0, false, [1, 'a'], { answer: 42 }])('keeps %j as data', (result) => {
    given(...working)
      .when(change('completed', { result }))
      .thenTask({ hasResult: true, state: 'completed' });
  });

  it('is refused with another state', () => {
    given(...working)
      .when(change('failed', { result: 1 }))
      .thenRefusesField('result');
  });
});

describe('C07 reports without a state, without a time, or with a clock that jumped', () => {
  it.each([undefined, '', 'WORKING', 'unspecified', 'toString'])('refuses the state %p', (to) => {
    given(...working)
      .when(change(to as TaskState))
      .thenRefusesField('to');
  });

  it('keeps the time an agent gives in UTC milliseconds', () => {
    given(submitted)
      .when(change('working', { occurredAt: '2026-01-01T10:00:00+02:00' }))
      .then({
        type: 'TaskStarted',
        data: { at: at(20), occurredAt: '2026-01-01T08:00:00.000Z', content: plain({}) },
      });
  });

  it.each(['yesterday', '2026-01-01', '1700000000', '2026-13-01T00:00:00Z'])(
    'refuses the time %s',
    (occurredAt) => {
      given(submitted).when(change('working', { occurredAt })).thenRefusesField('occurredAt');
    },
  );

  it('never goes back: an hour set back ends at the time of the event before', () => {
    given(submitted, started(5))
      .when(change('input-required', { at: at(-3_600) }))
      .thenTask({ state: 'input-required', statusAt: at(5), updatedAt: at(5) });
  });

  it('takes the last report for the state, whatever its clock says', () => {
    given(submitted, started(5), inputRequested(5))
      .when(change('working', { at: at(-3_600) }))
      .thenTask({ state: 'working', statusAt: at(5) });
  });
});

describe('what a status message must be', () => {
  it('belongs to the task', () => {
    given(...working)
      .when(change('working', { message: message('x', { taskId: 't2' }) }))
      .thenRefusesField('message.taskId');
  });

  it('has a schema only as a question', () => {
    given(...working)
      .when(change('failed', { askSchema: { type: 'string' } }))
      .thenRefusesField('askSchema');
  });

  it('has a token that is one', () => {
    given(...working)
      .when(change('input-required', { checkpointToken: '' }))
      .thenRefusesField('checkpointToken');
  });

  it('is the status message until the next status', () => {
    expect(given(...working, progressed(3, 'half')).task).toMatchObject({
      statusHasMessage: true,
      statusRevision: 2,
    });
  });
});
