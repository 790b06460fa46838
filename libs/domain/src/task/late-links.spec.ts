import { assign, canceledParent, olderParent, requestAbove, submit } from '../testing/commands.js';
import {
  at,
  canceled,
  cancellationRequested,
  completed,
  parentAssigned,
  started,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import type { ParentFacts, ParentInput } from './commands.js';
import type { TaskEvent } from './events.js';

const endedWith = (second: number, reason?: string): TaskEvent =>
  canceled(second, reason, { cancellationId: 'above', stoppedBy: 'parent', request: requestAbove });

const born = (
  parentTask: ParentFacts,
  terms: Partial<ParentInput> = {},
  more: { parentReason?: string } = {},
) => submit({ parent: { taskId: 'p1', ...terms }, parentTask, ...more });
const adopted = (
  parentTask: ParentFacts,
  terms: Partial<ParentInput> = {},
  more: { parentReason?: string } = {},
) => assign({ parent: { taskId: 'p1', ...terms }, parentTask, ...more });

describe('C27 a child of a canceled parent', () => {
  it('is born canceled, in one append', () => {
    const late = given().when(born(canceledParent(), {}, { parentReason: 'too slow' }));
    late.thenTypes('TaskSubmitted', 'TaskCanceled');
    late.thenTask({
      state: 'canceled',
      createdAt: at(20),
      stoppedBy: 'parent',
      cancellationId: 'above',
      parent: { taskId: 'p1', policy: 'cascade', onEnd: 'abandon' },
      end: {
        revision: 1,
        eventId: 'event-1',
        at: at(20),
        from: 'submitted',
        cancellationId: 'above',
        root: false,
        request: requestAbove,
      },
    });
  });

  it('is adopted and canceled, in one append', () => {
    given(submitted, started())
      .when(adopted(canceledParent(), {}, { parentReason: 'too slow' }))
      .then(parentAssigned(20, 'p1', 'r1'), endedWith(20, 'too slow'));
  });

  it('ends under the cancellation of its parent, whatever was asked of it before', () => {
    given(submitted, started(), cancellationRequested())
      .when(adopted(canceledParent()))
      .then(parentAssigned(20, 'p1', 'r1'), endedWith(20));
  });

  it.each(['cascade', 'cooperative'] as const)('ends at once over a link that is %s', (policy) => {
    given().when(born(canceledParent(), { policy })).thenTask({ state: 'canceled' });
    given(submitted, started()).when(adopted(canceledParent(), { policy })).thenTask({ state: 'canceled' });
  });

  it('keeps the beginning of a long reason', () => {
    given(submitted)
      .when(adopted(canceledParent(), {}, { parentReason: 'x'.repeat(2_000) }))
      .then(parentAssigned(20, 'p1', 'r1'), endedWith(20, 'x'.repeat(1_024)));
  });

  it('whose adoption is asked for again is found done', () => {
    given(submitted, parentAssigned(1, 'p1', 'r1'), endedWith(1))
      .when(adopted(canceledParent()))
      .thenNothing();
  });

  it('that has ended is not adopted', () => {
    given(submitted, completed())
      .when(adopted(canceledParent()))
      .thenRefuses('task-is-terminal', { taskId: 't1' });
  });

  it('must still be younger', () => {
    given(submitted)
      .when(adopted({ ...canceledParent(), createdAt: at(1) }))
      .thenRefuses('link-refused', { reason: 'parent-is-younger' });
  });
});

describe('a link to a parent that has ended is refused', () => {
  const alone = canceledParent({ request: { ...requestAbove, cascade: false } });
  const orphaned: ParentFacts = {
    ...olderParent,
    state: 'stopped',
    stoppedBy: 'orphaned',
    end: { revision: 4, eventId: 'e4', at: at(15), from: 'working', cancellationId: 'above', root: false },
  };
  const finished: ParentFacts = {
    ...olderParent,
    state: 'completed',
    end: { revision: 4, eventId: 'e4', at: at(15), from: 'working', root: false },
  };

  it.each([
    ['where it is abandon', canceledParent(), { policy: 'abandon' }],
    ['where the cancellation does not cascade', alone, {}],
    ['where the parent was stopped', orphaned, { onEnd: 'cascade' }],
    ['where the parent has finished', finished, { onEnd: 'cascade' }],
  ] as const)('%s', (_what, parentTask, terms) => {
    given().when(born(parentTask, terms)).thenRefuses('task-is-terminal', { taskId: 'p1', revision: 4 });
    given(submitted).when(adopted(parentTask, terms)).thenRefuses('task-is-terminal', { taskId: 'p1' });
  });
});
