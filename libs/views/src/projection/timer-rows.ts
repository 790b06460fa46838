import { isTerminal, type Task } from '#domain';
import type { TimerRow } from '../store/index.js';

type Timer = Pick<TimerRow, 'dueAt' | 'cancellationId'>;
type Kind = TimerRow['kind'];

/** `timer` undefined: there is none of this kind any more. */
export interface TimerChange {
  readonly kind: Kind;
  readonly timer: Timer | undefined;
}

const timer = (dueAt: string | undefined, cancellationId: string | null = null): Timer | undefined => {
  const time = Date.parse(dueAt ?? '');
  return Number.isNaN(time) ? undefined : { dueAt: time, cancellationId };
};

/** A task that cannot be read takes no write, so that its timers would only stand in the way of others. */
const hasTimers = ({ state, unreadable }: Task): boolean => !isTerminal(state) && unreadable === undefined;

/** The timers of a task, from its fold: of a request that is open, and of its deadline. */
export const timersOf = (task: Task | undefined): Readonly<Record<Kind, Timer | undefined>> => {
  if (task === undefined || !hasTimers(task)) return { request: undefined, deadline: undefined };
  const { openCancellation: open, deadline } = task;
  return { request: timer(open?.dueAt, open?.cancellationId), deadline: timer(deadline) };
};

const differs = (one: Timer | undefined, other: Timer | undefined): boolean =>
  one?.dueAt !== other?.dueAt || one?.cancellationId !== other?.cancellationId;

const isTimed = (task: Task | undefined): boolean =>
  task?.deadline !== undefined || task?.openCancellation !== undefined;

const kinds = ['request', 'deadline'] as const;
const nothing: readonly TimerChange[] = [];

/** What a run of events did to the timers of a task; nothing for nearly every task. */
export const timerChanges = (before: Task | undefined, after: Task | undefined): readonly TimerChange[] => {
  if (!isTimed(before) && !isTimed(after)) return nothing;
  const [had, has] = [timersOf(before), timersOf(after)];
  return kinds.filter((kind) => differs(had[kind], has[kind])).map((kind) => ({ kind, timer: has[kind] }));
};
