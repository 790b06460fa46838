import type { LinkTerms, TaskEvent } from '../task/events.js';
import type { Task } from '../task/state.js';
import { flagUnreadable } from '../task/unreadable.js';
import {
  at,
  canceled,
  cancellationDeclined,
  cancellationRequested,
  completed,
  failed,
  folded,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import type { Arrival, CancellationScope, EventPlace } from './scope.js';
import { visit, type Verdict } from './visit.js';

// A task `t1` below a root `r1` that cancellation `x1` is asked for. Its events stand at the positions 100, 101, …

const place = (position: number): EventPlace => ({
  position: String(position),
  eventId: `event-${String(position)}`,
  at: at(position),
});

const scope = (more: Partial<CancellationScope> = {}): CancellationScope => ({
  cancellationId: 'x1',
  kind: 'request',
  rootTaskId: 'r1',
  cascade: true,
  begin: place(50),
  request: {
    mode: 'immediate',
    cascade: true,
    requestedBy: { principal: 'alice', role: 'user', via: 'ledger-api' },
  },
  ...more,
});

const arrival = (terms: Partial<LinkTerms> = {}, reached = 50): Arrival => ({
  taskId: 't1',
  depth: 1,
  link: {
    parentTaskId: 'r1',
    child: { policy: 'cascade', onEnd: 'abandon', revision: 3, ...terms },
    late: false,
  },
  reach: place(reached),
  cause: place(reached),
});
const rootArrival: Arrival = { taskId: 't1', depth: 0, reach: place(100), cause: place(100) };

const task = (...history: readonly TaskEvent[]): Task => {
  const fold = folded(submitted, ...history);
  if (fold === undefined) throw new Error('no task');
  return fold;
};

const judge = (subject: Task, come: Arrival = arrival(), of: CancellationScope = scope()): Verdict =>
  visit(of, come, subject, (revision) => place(100 + revision));

const lineOf = (verdict: Verdict) => {
  if (verdict.kind !== 'settled') throw new Error(`not settled: ${verdict.kind}`);
  return verdict.line;
};
const belowOf = (verdict: Verdict) => (verdict.kind === 'settled' ? verdict.below : undefined);

const askedBy = (cancellationId: string, stoppedBy: 'user' | 'parent' = 'parent') =>
  cancellationRequested(2, true, { cancellationId, stoppedBy });
const canceledBy = (cancellationId: string, more: Parameters<typeof canceled>[2] = {}) =>
  canceled(9, undefined, { cancellationId, stoppedBy: 'parent', ...more });

describe('a task that a cancellation has come to', () => {
  it('is carried on while it is open', () => {
    expect(judge(task(started()))).toEqual({ kind: 'act' });
    expect(judge(task())).toEqual({ kind: 'act' });
  });

  it('is carried on over a cascade link though somebody has asked it', () => {
    expect(judge(task(started(), askedBy('other', 'user')))).toEqual({ kind: 'act' });
  });

  it('is waited for over a cooperative link when anybody has asked it', () => {
    const come = arrival({ policy: 'cooperative' });
    expect(judge(task(started()), come)).toEqual({ kind: 'act' });
    expect(judge(task(started(), askedBy('x1')), come)).toEqual({ kind: 'wait', dueAt: at(32) });
    expect(judge(task(started(), askedBy('other', 'user')), come)).toEqual({ kind: 'wait', dueAt: at(32) });
  });

  it('is waited for as the root, which its own event has asked', () => {
    const root = task(started(), askedBy('x1', 'user'));
    expect(judge(root, rootArrival)).toEqual({ kind: 'wait', dueAt: at(32) });
  });

  it('is asked anew after it has declined another cancellation', () => {
    const declinedOther = task(started(), askedBy('other', 'user'), cancellationDeclined(3, 'other'));
    expect(judge(declinedOther, arrival({ policy: 'cooperative' }))).toEqual({ kind: 'act' });
  });
});

describe('the outcome', () => {
  it('is canceled, or forced, for the cancellation that ended it', () => {
    expect(lineOf(judge(task(started(), canceledBy('x1'))))).toMatchObject({
      outcome: 'canceled',
      revision: 2,
      settledAt: at(9),
    });
    expect(lineOf(judge(task(started(), canceledBy('x1', { forced: true }))))).toMatchObject({
      outcome: 'forced',
    });
    expect(lineOf(judge(task(started(), stopped(9, { cancellationId: 'x1' }))))).toMatchObject({
      outcome: 'canceled',
    });
  });

  it('is alreadyTerminal with the id of another cancellation that ended it, wherever that stands', () => {
    const line = lineOf(judge(task(started(), canceledBy('other')), arrival({}, 900)));
    expect(line).toMatchObject({ outcome: 'alreadyTerminal', by: 'other', worker: 'none' });
    expect(lineOf(judge(task(started(), canceledBy('other'))))).toEqual(line);
  });

  it.each([
    ['alreadyTerminal', 'before', 102],
    ['lostRace', 'after', 101],
  ])('is %s when it ended %s what let the cancellation come, by position', (outcome, _when, reached) => {
    expect(lineOf(judge(task(started(), completed()), arrival({}, reached)))).toMatchObject({ outcome });
  });

  it('of a root that finishes inside its grace is lostRace', () => {
    const root = task(started(), askedBy('x1', 'user'), completed());
    expect(lineOf(judge(root, { ...rootArrival, reach: place(102) }))).toMatchObject({ outcome: 'lostRace' });
  });

  it('needs the place of an end where positions decide, and of no other', () => {
    const unplaced = (subject: Task) => visit(scope(), arrival(), subject, () => undefined);
    expect(unplaced(task(started(), completed()))).toEqual({ kind: 'place', revision: 2 });
    expect(lineOf(unplaced(task(started(), canceledBy('x1'))))).toMatchObject({ outcome: 'canceled' });
    expect(lineOf(unplaced(task(started(), canceledBy('other'))))).toMatchObject({ by: 'other' });
    const asked = task(started(), askedBy('x1'), canceledBy('x1'));
    expect(unplaced(asked)).toEqual({ kind: 'place', revision: 3 });
  });

  it('is abandoned over an abandoned link, whatever the task did, and shields what is below', () => {
    const come = arrival({ policy: 'abandon' });
    for (const subject of [task(started()), task(started(), completed()), task(canceledBy('x1'))]) {
      const verdict = judge(subject, come);
      expect(lineOf(verdict)).toEqual({ outcome: 'abandoned', settledAt: at(50), worker: 'none' });
      expect(belowOf(verdict)).toBeUndefined();
    }
  });

  it('is refused after it declined this cancellation, whatever came later, and shields what is below', () => {
    const declined = [started(), askedBy('x1'), cancellationDeclined(3, 'x1')];
    for (const later of [[], [completed()], [canceledBy('other')]]) {
      const verdict = judge(task(...declined, ...later), arrival({ policy: 'cooperative' }));
      expect(lineOf(verdict)).toEqual({
        outcome: 'refused',
        revision: 3,
        settledAt: at(3),
        worker: 'none',
      });
      expect(belowOf(verdict)).toBeUndefined();
    }
  });
});

describe('a task that cannot be read', () => {
  const unreadableAfter = (subject: Task): Task =>
    flagUnreadable(subject, { revision: 9, type: 'TaskDreamt' });

  it('takes no cancel: it is unreachable, and what can be read of its links is followed', () => {
    const verdict = judge(unreadableAfter(task(started())));
    expect(lineOf(verdict)).toMatchObject({ outcome: 'unreachable', lastError: 'task-unreadable' });
    expect(belowOf(verdict)).toEqual({ reach: place(50), cause: place(50) });
  });

  it('has its ordinary line where its end was read', () => {
    expect(lineOf(judge(unreadableAfter(task(started(), canceledBy('x1')))))).toMatchObject({
      outcome: 'canceled',
    });
  });
});

describe('below a task that has ended', () => {
  it('the cascade goes on, caused by that end and reached as the task was', () => {
    for (const end of [canceledBy('x1'), canceledBy('other'), completed(), failed()]) {
      const below = belowOf(judge(task(started(), end)));
      expect(below).toMatchObject({ reach: place(50), cause: { eventId: 'event-2', at: at(9) } });
    }
  });

  it('everything is reached by that end, where the task was asked under this id', () => {
    const below = belowOf(
      judge(task(started(), askedBy('x1'), completed()), arrival({ policy: 'cooperative' })),
    );
    expect(below?.reach).toEqual(place(103));
  });

  it('nothing is reached by a request without cascade', () => {
    expect(belowOf(judge(task(started(), canceledBy('x1')), rootArrival, scope({ cascade: false })))).toBe(
      undefined,
    );
  });
});

describe('the worker', () => {
  const worker = (...history: readonly TaskEvent[]) => lineOf(judge(task(...history))).worker;

  it('is none where nobody had taken the work up', () => {
    expect(worker(canceledBy('x1'))).toBe('none');
  });

  it('is unnotified where somebody was at work, though only when this cancellation ended it', () => {
    expect(worker(started(), canceledBy('x1'))).toBe('unnotified');
    expect(worker(started(), completed())).toBe('none');
    expect(worker(started(), canceledBy('other'))).toBe('none');
  });

  it('has acknowledged by reporting canceled itself', () => {
    const line = lineOf(judge(task(started(), askedBy('x1'), canceledBy('x1', { acknowledged: true }))));
    expect(line).toMatchObject({ worker: 'acknowledged', acknowledgedBy: 'alice' });
  });
});

describe('where the ledger answers an end', () => {
  const answer = scope({ kind: 'parentEnd', cancellationId: 'end' });
  const orphaned = arrival({ policy: 'abandon', onEnd: 'cascade' });

  it('onEnd is read wherever a cancel reads policy', () => {
    expect(judge(task(started()), orphaned, answer)).toEqual({ kind: 'act' });
    expect(lineOf(judge(task(started()), arrival({ policy: 'cascade' }), answer))).toMatchObject({
      outcome: 'abandoned',
    });
    expect(judge(task(started(), askedBy('other', 'user')), orphaned, answer)).toEqual({ kind: 'act' });
  });

  it('it goes on below what it stopped itself, and below the root', () => {
    const stoppedByIt = task(started(), stopped(9, { cancellationId: 'end', stoppedBy: 'orphaned' }));
    expect(belowOf(judge(stoppedByIt, orphaned, answer))).toBeDefined();
    expect(belowOf(judge(task(started(), completed()), rootArrival, answer))).toBeDefined();
  });

  it.each([
    ['ended by itself', completed()],
    ['was canceled', canceledBy('other')],
    ['was stopped for another end', stopped(9, { cancellationId: 'elsewhere' })],
  ])('a task that %s is a leaf: its own end has been answered', (_how, end) => {
    const verdict = judge(task(started(), end), orphaned, answer);
    expect(lineOf(verdict).outcome).not.toBe('canceled');
    expect(belowOf(verdict)).toBeUndefined();
  });
});
