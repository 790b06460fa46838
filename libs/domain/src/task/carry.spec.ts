import { plain } from '../content.js';
import { carry, requestAbove, stopOrphan } from '../testing/commands.js';
import {
  at,
  authRequested,
  canceled,
  cancellationDeclined,
  cancellationRequested,
  completed,
  failed,
  inputRequested,
  rejected,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';

const working = [submitted, started()];
const ends = [completed(), failed(), rejected(), canceled(), stopped()];
const below = { cancellationId: 'above', stoppedBy: 'parent', request: requestAbove } as const;
/** The request that reached the task over a cooperative link. */
const reached = cancellationRequested(20, true, { ...below, dueAt: at(50), content: plain({}) });

describe('a cascade', () => {
  it.each([
    ['submitted', [submitted]],
    ['working', working],
    ['input-required', [...working, inputRequested(2, 'k')]],
    ['auth-required', [...working, authRequested()]],
  ])('ends a task that is %s, in the words of the root', (_state, history) => {
    const carried = given(...history).when(carry({ reason: 'too slow' }));
    carried.then(canceled(20, 'too slow', below));
    carried.thenTask({ state: 'canceled', stoppedBy: 'parent', cancellationId: 'above' });
  });

  it('ends an asked task at once, under its own id', () => {
    given(...working, cancellationRequested())
      .when(carry())
      .then(canceled(20, undefined, below));
  });

  it('keeps the beginning of a long reason', () => {
    given(...working)
      .when(carry({ reason: 'é'.repeat(2_000) }))
      .then(canceled(20, 'é'.repeat(1_024), below));
    given(...working)
      .when(carry({ reason: `${'x'.repeat(1_023)}😀` }))
      .then(canceled(20, 'x'.repeat(1_023), below));
    given(...working)
      .when(carry({ reason: `${'x'.repeat(1_022)}😀` }))
      .then(canceled(20, `${'x'.repeat(1_022)}😀`, below));
  });

  it.each(ends)('finds the end that stands: $type', (end) => {
    for (const manner of ['immediate', 'cooperative'] as const)
      given(...working, end)
        .when(carry({ manner }))
        .thenNothing();
  });

  it('never begins where it passes', () => {
    expect(given(...working, canceled(5, undefined, below)).task?.end).toMatchObject({
      cancellationId: 'above',
      root: false,
    });
  });
});

describe('a cascade over a cooperative link', () => {
  const asks = carry({ manner: 'cooperative' });

  it('asks a task at work, and gives it thirty seconds', () => {
    given(...working)
      .when(asks)
      .then(reached);
  });

  it('gives it what the link says', () => {
    given(...working)
      .when(carry({ manner: 'cooperative', graceMs: 1_000, reason: 'too slow' }))
      .then(
        cancellationRequested(20, true, { ...below, dueAt: at(21), content: plain({ reason: 'too slow' }) }),
      );
  });

  it.each([
    ['submitted', [submitted]],
    ['input-required', [...working, inputRequested()]],
    ['auth-required', [...working, authRequested()]],
  ])('ends a task that is %s at once', (_state, history) => {
    given(...history)
      .when(asks)
      .then(canceled(20, undefined, below));
  });

  it('waits for the request that is open, whatever the task does meanwhile', () => {
    given(...working, cancellationRequested())
      .when(asks)
      .thenNothing();
    given(...working, cancellationRequested(), inputRequested(3))
      .when(asks)
      .thenNothing();
    given(...working, reached)
      .when(asks)
      .thenNothing();
  });

  it('asks anew after another one was declined', () => {
    given(...working, cancellationRequested(), cancellationDeclined())
      .when(asks)
      .then(reached);
  });

  it('is told no once and for ever', () => {
    const declined = given(...working, reached, cancellationDeclined(21, 'above'));
    for (const manner of ['cooperative', 'immediate'] as const)
      declined.when(carry({ manner })).thenNothing();
    declined.when(carry({ cancellationId: 'x3' })).thenTypes('TaskCanceled');
  });

  it('is no root where it asks', () => {
    given(...working)
      .when(asks)
      .thenTask({ requests: [{ count: 1, facts: { above: { revision: 2, root: false, cascade: true } } }] });
  });
});

describe('an orphan', () => {
  it.each([
    ['submitted', [submitted]],
    ['working', working],
    ['asked to stop', [...working, cancellationRequested()]],
  ])('that is %s is stopped, and named as one', (_state, history) => {
    const orphan = given(...history).when(stopOrphan({ reason: 'the parent ended' }));
    orphan.then(
      stopped(20, {
        stoppedBy: 'orphaned',
        cancellationId: 'above',
        content: plain({ reason: 'the parent ended' }),
      }),
    );
    orphan.thenTask({ state: 'stopped', stoppedBy: 'orphaned', cancellationId: 'above' });
  });

  it('is remembered with the cancellation that stopped it, which began elsewhere', () => {
    const history = [...working, stopped(9, { stoppedBy: 'orphaned', cancellationId: 'above' })];
    expect(given(...history).task?.end).toEqual({
      revision: 2,
      eventId: 'event-2',
      at: at(9),
      from: 'working',
      cancellationId: 'above',
      root: false,
    });
  });

  it.each(ends)('that has ended by itself stays as it is: $type', (end) => {
    given(...working, end)
      .when(stopOrphan())
      .thenNothing();
  });
});
