import { plain } from '../content.js';
import { cancel } from '../testing/commands.js';
import {
  alice,
  at,
  authRequested,
  cancellationDeclined,
  cancellationRequested,
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
import type { CancelMode, CancellationRequest } from './events.js';
import type { EndFact } from './state.js';

const immediate: CancellationRequest = { mode: 'immediate', cascade: true, requestedBy: alice };
const asked: CancellationRequest = {
  mode: 'cooperative',
  graceMs: 30_000,
  cascade: true,
  requestedBy: alice,
};

describe('C29 cancel says what happened', () => {
  it.each([
    ['submitted', [submitted]],
    ['working', [submitted, started()]],
    ['input-required', [submitted, started(), inputRequested(2, 'k1')]],
    ['auth-required', [submitted, started(), authRequested()]],
  ])('%s ends canceled with one event', (_state, history) => {
    const asked = given(...history).when(cancel());
    asked.thenTypes('TaskCanceled');
    asked.thenTask({ state: 'canceled', stoppedBy: 'user', cancellationId: 'x2' });
    asked.thenTask({ end: expect.objectContaining({ cancellationId: 'x2', root: true }) as EndFact });
  });

  it('again changes nothing', () => {
    given(submitted, canceled()).when(cancel()).thenNothing();
  });

  it.each([completed(), failed(), rejected(), stopped()])('after $type it is refused', (end) => {
    given(submitted, end).when(cancel()).thenRefuses('task-is-terminal', { taskId: 't1', revision: 1 });
  });

  it('of a task that does not exist is refused', () => {
    given().when(cancel()).thenRefuses('task-not-found');
  });
});

describe('a cancellation', () => {
  it('is recorded as it was asked', () => {
    given(submitted)
      .when(cancel({ reason: 'too slow', metadata: { ticket: 7 }, cascade: false, mode: 'immediate' }))
      .then({
        type: 'TaskCanceled',
        data: {
          at: at(20),
          cancellationId: 'x2',
          stoppedBy: 'user',
          request: { mode: 'immediate', cascade: false, requestedBy: alice },
          content: plain({ reason: 'too slow', metadata: { ticket: 7 } }),
        },
      });
  });

  it('cascades unless it says otherwise', () => {
    given(submitted)
      .when(cancel({ cascade: false }))
      .thenTask({ end: expect.objectContaining({ request: { ...immediate, cascade: false } }) as EndFact });
    given(submitted)
      .when(cancel())
      .thenTask({ end: expect.objectContaining({ request: immediate }) as EndFact });
  });

  it('closes what was asked', () => {
    const { task } = given(submitted, started(), inputRequested(2, 'k1'), canceled());
    expect(task).not.toHaveProperty('checkpointToken');
    expect(task).not.toHaveProperty('openCancellation');
  });
});

describe('an immediate cancel while another is open', () => {
  it('ends the task under the open id', () => {
    given(submitted, started(), cancellationRequested())
      .when(cancel())
      .then(canceled(20, undefined, { cancellationId: 'asked', request: asked }));
  });

  it('ends it under its own where it cascades and the open one does not', () => {
    given(submitted, started(), cancellationRequested(2, false))
      .when(cancel())
      .then(canceled(20, undefined, { cancellationId: 'x2', request: immediate }));
    given(submitted, started(), cancellationRequested(2, false))
      .when(cancel({ cascade: false }))
      .then(canceled(20, undefined, { cancellationId: 'asked', request: { ...asked, cascade: false } }));
  });

  it('ends it under its own after a decline', () => {
    given(submitted, started(), cancellationRequested(), cancellationDeclined())
      .when(cancel())
      .thenTask({ cancellationId: 'x2' });
  });
});

describe('what is asked', () => {
  it.each([
    [{ mode: 'gentle' as CancelMode }, 'mode'],
    [{ graceMs: 30_000 }, 'graceMs'],
    [{ mode: 'immediate', graceMs: 30_000 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 999 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 86_400_001 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 1_500.5 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: Number.NaN }, 'graceMs'],
    [{ cancellationId: '' }, 'cancellationId'],
  ] as const)('is refused by name: %j', (more, field) => {
    given(submitted, started()).when(cancel(more)).thenRefusesField(field);
    given(submitted, canceled()).when(cancel(more)).thenRefusesField(field);
  });
});
