import { plain } from '../content.js';
import { cancel, carry, change, decline, force, say } from '../testing/commands.js';
import {
  agentMessage,
  alice,
  at,
  authRequested,
  canceled,
  cancellationDeclined,
  cancellationRequested,
  completed,
  failed,
  inputRequested,
  message,
  metadata,
  recorded,
  started,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import type { CancellationRequest } from './events.js';
import { evolveAll } from './evolve.js';

const working = [submitted, started()];
const gently = cancel({ mode: 'cooperative', reason: 'too slow' });
const request: CancellationRequest = {
  mode: 'cooperative',
  graceMs: 30_000,
  cascade: true,
  requestedBy: alice,
};

describe('a cooperative cancel', () => {
  it('asks a task at work, and gives it thirty seconds', () => {
    given(...working)
      .when(gently)
      .then(cancellationRequested(20, true, { cancellationId: 'x2', dueAt: at(50) }));
  });

  it.each([1_000, 86_400_000])('gives it %d milliseconds where it says so', (graceMs) => {
    given(...working)
      .when(cancel({ mode: 'cooperative', graceMs, cascade: false, reason: 'too slow' }))
      .then(
        cancellationRequested(20, false, {
          cancellationId: 'x2',
          dueAt: new Date(Date.parse(at(20)) + graceMs).toISOString(),
          request: { ...request, graceMs, cascade: false },
        }),
      );
  });

  it('leaves the state as it is', () => {
    given(...working)
      .when(gently)
      .thenTask({ state: 'working', cancellationId: 'x2', statusRevision: 1 });
  });

  it.each([
    ['submitted', [submitted]],
    ['input-required', [...working, inputRequested()]],
    ['auth-required', [...working, authRequested()]],
  ])('cancels one that is %s at once: nobody is at it', (_state, history) => {
    given(...history)
      .when(gently)
      .then(canceled(20, 'too slow', { cancellationId: 'x2', request }));
  });

  it('changes nothing where the task is asked already, or canceled', () => {
    given(...working, cancellationRequested())
      .when(gently)
      .thenNothing();
    given(...working, cancellationRequested(2, false))
      .when(gently)
      .thenNothing();
    given(...working, cancellationRequested(), inputRequested(3))
      .when(gently)
      .thenNothing();
    given(...working, canceled())
      .when(gently)
      .thenNothing();
  });

  it('is refused where the task has ended otherwise', () => {
    given(...working, completed())
      .when(gently)
      .thenRefuses('task-is-terminal');
  });

  it('asks anew after a decline, under its own id', () => {
    given(...working, cancellationRequested(), cancellationDeclined())
      .when(gently)
      .thenTask({
        cancellationId: 'x2',
        requests: [
          {
            count: 2,
            facts: {
              asked: { revision: 2, root: true, cascade: true, declined: { revision: 3, at: at(3) } },
              x2: { revision: 4, root: true, cascade: true },
            },
          },
        ],
      });
  });
});

describe('while a task is asked to stop', () => {
  const asked = given(...working, cancellationRequested());

  it('no user gives it more to do, and the agent may still speak', () => {
    asked.when(say()).thenRefuses('cancellation-open', { cancellationId: 'asked', dueAt: at(32) });
    asked.when(say(agentMessage('wait'))).thenTypes('MessageRecorded');
  });

  it.each(['completed', 'failed', 'input-required'] as const)('its agent may still report %s', (to) => {
    asked.when(change(to)).thenTask({ state: to });
  });

  it('its agent may say that it has stopped, and is known to know', () => {
    const last = agentMessage('stopped');
    asked.when(change('canceled', { message: last })).then(
      canceled(20, undefined, {
        cancellationId: 'asked',
        request,
        acknowledged: true,
        content: plain({ message: last }),
      }),
    );
  });

  it('an end is remembered with the request that stood open', () => {
    expect(given(...working, cancellationRequested(), completed()).task?.end).toEqual({
      revision: 3,
      eventId: 'event-3',
      at: at(9),
      from: 'working',
      root: false,
      asked: { cancellationId: 'asked', cascade: true },
    });
  });
});

describe('a decline', () => {
  it('closes the request', () => {
    given(...working, cancellationRequested())
      .when(decline({ note: 'nearly done' }))
      .then(cancellationDeclined(20));
    const { task } = given(...working, cancellationRequested(), cancellationDeclined());
    expect(task).not.toHaveProperty('openCancellation');
    expect(task).not.toHaveProperty('cancellationId');
  });

  it('lets the user speak again, and dueAt do nothing', () => {
    const declined = given(...working, cancellationRequested(), cancellationDeclined());
    declined.when(say(message('go on'))).thenTypes('MessageRecorded');
    declined.when(force()).thenNothing();
  });

  it('says for ever that this cancellation was declined', () => {
    const { task } = given(...working, cancellationRequested(), cancellationDeclined(), completed());
    expect(task?.requests[0]?.facts.asked?.declined).toEqual({ revision: 3, at: at(3) });
    expect(task?.end).not.toHaveProperty('asked');
  });

  it('without a note says nothing more', () => {
    given(...working, cancellationRequested())
      .when(decline())
      .then({
        type: 'CancellationDeclined',
        data: { at: at(20), cancellationId: 'asked', content: plain({}) },
      });
  });

  it('is refused where nothing is asked', () => {
    const refusal = {
      from: 'working',
      to: 'declined',
      allowed: ['input-required', 'auth-required', 'completed', 'failed', 'rejected', 'stopped'],
    };
    given(...working)
      .when(decline())
      .thenRefuses('transition-not-allowed', refusal);
    given(...working, cancellationRequested(), cancellationDeclined())
      .when(decline())
      .thenRefuses('transition-not-allowed', refusal);
  });

  it('is refused once the task has ended', () => {
    given(...working, cancellationRequested(), failed())
      .when(decline())
      .thenRefuses('task-is-terminal', { taskId: 't1' });
  });
});

describe('the timer of a request', () => {
  const asked = given(...working, cancellationRequested());
  const forced = { cancellationId: 'asked', request, forced: true };

  it.each([32, 33])('ends the task when it is due: second %d', (second) => {
    asked.when(force({ at: at(second) })).then(canceled(second, undefined, forced));
  });

  it('never fires early', () => {
    asked.when(force({ at: '2026-01-01T12:00:31.999Z' })).thenNothing();
  });

  it('says by whom the task was ended as the request said', () => {
    given(...working, cancellationRequested(2, true, { stoppedBy: 'parent' }))
      .when(force())
      .then(canceled(32, undefined, { ...forced, stoppedBy: 'parent' }));
  });

  it.each([
    ['has ended', [completed()]],
    ['has declined', [cancellationDeclined()]],
    [
      'is asked by another one by now',
      [cancellationDeclined(), cancellationRequested(4, true, { cancellationId: 'x3' })],
    ],
  ])('does nothing where the task %s', (_what, more) => {
    given(...working, cancellationRequested(), ...more)
      .when(force())
      .thenNothing();
  });

  it('does nothing where the request has none', () => {
    const { dueAt: _dueAt, ...data } = cancellationRequested().data;
    given(...working, { type: 'CancellationRequested', data })
      .when(force())
      .thenNothing();
  });

  it('leaves the reason of the request', () => {
    given(...working, cancellationRequested())
      .when(force())
      .thenTask({ state: 'canceled' });
  });
});

describe('the end of a task that was asked', () => {
  it('is forced where the ledger wrote it at dueAt', () => {
    asked()
      .when(force())
      .thenTask({ end: endedBy({ revision: 3, eventId: 'event-3', at: at(32), forced: true }) });
  });

  it('is acknowledged by the agent that reported it', () => {
    const events = recorded(
      [canceled(9, undefined, { cancellationId: 'asked', request, acknowledged: true })],
      {
        from: 3,
        by: { principal: 'worker-1', role: 'agent' },
      },
    );
    expect(evolveAll(asked().task, events)?.end).toEqual(
      endedBy({ revision: 3, eventId: 'event-3', at: at(9), acknowledgedBy: 'worker-1' }),
    );
  });

  it('is acknowledged by nobody where somebody else wrote it', () => {
    expect(evolveAll(asked().task, recorded([canceled()], { from: 3 }))?.end).not.toHaveProperty(
      'acknowledgedBy',
    );
    expect(metadata.principal).toBe('alice');
  });

  it('is no beginning of the cancellation, which the request was', () => {
    asked()
      .when(change('canceled'))
      .thenTask({ requests: [{ count: 1, facts: { asked: { revision: 2, root: true, cascade: true } } }] });
  });

  it('under an arriving cancellation keeps what was open', () => {
    asked()
      .when(carry())
      .thenTask({
        end: {
          ...endedBy({ revision: 3, eventId: 'event-3', at: at(20) }),
          cancellationId: 'above',
          request: carry().request,
        },
      });
  });
});

const asked = () => given(...working, cancellationRequested());

const endedBy = <More extends object>(more: More) => ({
  from: 'working' as const,
  cancellationId: 'asked',
  root: false,
  request,
  asked: { cancellationId: 'asked', cascade: true },
  ...more,
});
