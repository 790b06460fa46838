import type { CancelMode, LinkPolicy, TaskEvent } from '../task/events.js';
import { decide } from '../task/decide.js';
import type { Task } from '../task/state.js';
import { flagUnreadable } from '../task/unreadable.js';
import { cancel, carry } from '../testing/commands.js';
import {
  authRequested,
  canceled,
  cancellationDeclined,
  cancellationRequested,
  completed,
  failed,
  folded,
  inputRequested,
  rejected,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { planBelow, planOf, type Planned } from './plan.js';

const task = (...history: readonly TaskEvent[]): Task => {
  const fold = folded(submitted, ...history);
  if (fold === undefined) throw new Error('no task');
  return fold;
};

const open: readonly (readonly [string, Task])[] = [
  ['submitted', task()],
  ['working', task(started())],
  ['input-required', task(started(), inputRequested())],
  ['auth-required', task(started(), authRequested())],
  ['asked', task(started(), cancellationRequested())],
  ['asked without cascade', task(started(), cancellationRequested(2, false))],
  ['declined', task(started(), cancellationRequested(), cancellationDeclined())],
];
const ended: readonly (readonly [string, Task])[] = [
  ['completed', task(started(), completed())],
  ['failed', task(started(), failed())],
  ['rejected', task(rejected())],
  ['canceled', task(started(), canceled())],
  ['stopped', task(started(), stopped())],
];

/** What a command then really does to a task: it is ended, or asked, or was asked already. */
const done = (subject: Task, events: readonly TaskEvent[]): Planned => {
  const [event] = events;
  if (event?.type === 'TaskCanceled') return 'cancel';
  const isAsked = event?.type === 'CancellationRequested' || subject.openCancellation !== undefined;
  if (!isAsked) throw new Error('nothing was done');
  return 'ask';
};

describe('a dry run foretells what the real run then does', () => {
  const carried: readonly (readonly [LinkPolicy, CancelMode])[] = [
    ['cascade', 'immediate'],
    ['cooperative', 'cooperative'],
  ];
  const cases = open.flatMap(([name, subject]) =>
    carried.map(([policy, manner]) => [name, policy, manner, subject] as const),
  );

  it.each(cases)('to a task that is %s over a %s link', (_name, policy, manner, subject) => {
    expect(planOf(policy, subject, false)).toBe(done(subject, decide(carry({ manner }), subject)));
  });

  it.each(cases)('to a root that is %s, of a cancel that carries %s', (_name, policy, mode, subject) => {
    expect(planOf(policy, subject, false)).toBe(done(subject, decide(cancel({ mode }), subject)));
  });

  it.each(ended)('to a task that is %s: nothing', (_name, subject) => {
    for (const [policy, manner] of carried) {
      expect(decide(carry({ manner }), subject)).toEqual([]);
      expect(planOf(policy, subject, false)).toBe('alreadyTerminal');
      expect(planOf(policy, subject, true)).toBe('alreadyTerminal');
    }
  });

  it('to a task that cannot be read: it is a survivor', () => {
    const unreadable = flagUnreadable(task(started()), { revision: 2, type: 'TaskDreamt' });
    expect(planOf('cascade', unreadable, false)).toBe('unreachable');
  });

  it.each([...open, ...ended])('to a task that is %s over an abandoned link: nothing', (_name, subject) => {
    expect(planOf('abandon', subject, false)).toBe('abandon');
    expect(planOf('abandon', subject, true)).toBe('abandon');
  });
});

describe('below', () => {
  it.each(open)('an asked task, one that is %s is reached when that one has ended', (_name, subject) => {
    expect(planBelow('ask', false)).toEqual({ afterParent: true });
    expect(planOf('cascade', subject, true)).toBe('afterParent');
    expect(planBelow('afterParent', true)).toEqual({ afterParent: true });
  });

  it.each(['cancel', 'alreadyTerminal', 'unreachable'] as const)('one with plan %s, as itself', (planned) => {
    expect(planBelow(planned, false)).toEqual({ afterParent: false });
    expect(planBelow(planned, true)).toEqual({ afterParent: true });
  });

  it('an abandoned task nothing is touched', () => {
    expect(planBelow('abandon', false)).toBeUndefined();
  });
});
