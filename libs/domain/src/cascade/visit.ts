import type { SettledNode } from '../cancellation/node.js';
import { factOn } from '../task/shelves.js';
import type { EndFact, Task } from '../task/state.js';
import { carriedBy, type Arrival, type CancellationScope, type EventPlace } from './scope.js';

/** What is to become of a task that a cancellation has come to. */
export type Verdict =
  /** It is carried on: `CarryCancellation`, or `StopOrphan` where the ledger answers a parent's end. */
  | { readonly kind: 'act' }
  /** It is asked already, by this cancellation or another; nothing below it is touched until it has ended. */
  | { readonly kind: 'wait'; readonly dueAt?: string }
  /** An event of the task's own stream must be placed in the log before this can be told. */
  | { readonly kind: 'place'; readonly revision: number }
  | {
      readonly kind: 'settled';
      readonly line: VerdictLine;
      /** Where the cascade goes on below; absent where it does not. `cause`: what ended this task. */
      readonly below?: Pick<Arrival, 'reach' | 'cause'>;
    };

/** What a task's own stream says of its line in the certificate. */
export type VerdictLine = Pick<
  SettledNode,
  'outcome' | 'by' | 'revision' | 'settledAt' | 'worker' | 'acknowledgedBy' | 'lastError'
>;

/** Places of events of one stream that are known so far. */
export type PlaceOf = (revision: number) => EventPlace | undefined;

/** One rule; undefined where it says nothing of the task, and the next one is asked. */
type VerdictRule = (
  scope: CancellationScope,
  arrival: Arrival,
  task: Task,
  placeOf: PlaceOf,
) => Verdict | undefined;

const none = { worker: 'none' } as const;

/** Final, and a shield for ever: whatever becomes of the task, this cancellation leaves it and what is below alone. */
const abandoned: VerdictRule = (scope, { link, reach }) =>
  link !== undefined && carriedBy(scope, link.child) === 'abandon'
    ? { kind: 'settled', line: { outcome: 'abandoned', settledAt: reach.at, ...none } }
    : undefined;

/** Final as well, whatever the task does later. Another cancellation asks it anew. */
const declined: VerdictRule = ({ cancellationId }, _arrival, { requests }) => {
  const fact = factOn(requests, cancellationId)?.declined;
  if (fact === undefined) return undefined;
  const { revision, at } = fact;
  return { kind: 'settled', line: { outcome: 'refused', revision, settledAt: at, ...none } };
};

/** Of a task that this cancellation ended: one of thousands, so that nothing is spread here. */
const ownLine = ({ revision, at: settledAt, forced, from, acknowledgedBy }: EndFact): VerdictLine => {
  const outcome = forced === true ? 'forced' : 'canceled';
  if (acknowledgedBy !== undefined)
    return { outcome, revision, settledAt, worker: 'acknowledged', acknowledgedBy };
  return { outcome, revision, settledAt, worker: from === 'submitted' ? 'none' : 'unnotified' };
};

/** How an end counts for this cancellation; undefined while its place must be known. Positions decide, not clocks. */
const lineOf = (
  { cancellationId }: CancellationScope,
  { reach }: Arrival,
  end: EndFact,
  placeOf: PlaceOf,
): VerdictLine | undefined => {
  if (end.cancellationId === cancellationId) return ownLine(end);
  const facts = { revision: end.revision, settledAt: end.at };
  if (end.cancellationId !== undefined)
    return { ...facts, outcome: 'alreadyTerminal', by: end.cancellationId, ...none };
  const ended = placeOf(end.revision);
  if (ended === undefined) return undefined;
  return { ...facts, outcome: ended.position <= reach.position ? 'alreadyTerminal' : 'lostRace', ...none };
};

/**
 * A task that has ended shields nothing. But where the ledger answers an end, it goes on only below what it stopped
 * itself: another end has its own answer.
 */
const goesOn = (scope: CancellationScope, { link }: Arrival, end: EndFact): boolean => {
  if (!scope.cascade) return false;
  return scope.kind !== 'parentEnd' || link === undefined || end.cancellationId === scope.cancellationId;
};

/** Nothing below an asked task is reached before it has ended; else everything is, when the task itself was. */
const ended: VerdictRule = (scope, arrival, { end, requests }, placeOf) => {
  if (end === undefined) return undefined;
  const { revision, eventId, at } = end;
  const line = lineOf(scope, arrival, end, placeOf);
  if (line === undefined) return { kind: 'place', revision };
  if (!goesOn(scope, arrival, end)) return { kind: 'settled', line };
  const wasAsked = factOn(requests, scope.cancellationId) !== undefined;
  const reach = wasAsked ? placeOf(revision) : arrival.reach;
  if (reach === undefined) return { kind: 'place', revision };
  return { kind: 'settled', line, below: { reach, cause: { eventId, at } } };
};

/** An unreadable task takes no cancel; what can be read of its links is followed. */
const unreadable: VerdictRule = ({ cascade }, { reach, cause }, task) =>
  task.unreadable === undefined
    ? undefined
    : {
        kind: 'settled',
        line: { outcome: 'unreachable', settledAt: reach.at, lastError: 'task-unreadable', ...none },
        ...(cascade && { below: { reach, cause } }),
      };

/** The root is asked by its own event; over a cooperative link a request that is open is waited for, whoever asked. */
const asked: VerdictRule = (scope, { link }, { openCancellation: open }) => {
  const isWaitedFor =
    link === undefined || (open !== undefined && carriedBy(scope, link.child) === 'cooperative');
  if (!isWaitedFor) return undefined;
  return { kind: 'wait', ...(open?.dueAt !== undefined && { dueAt: open.dueAt }) };
};

const rules: readonly VerdictRule[] = [abandoned, declined, ended, unreadable, asked];

/**
 * What a cancellation means for a task it has come to, read from the task's own stream and never from a command's
 * result. In this order: its link is `abandon`; it declined this cancellation's request; it has ended; it cannot be
 * read; it is asked; else it is open, and carried on.
 */
export const visit = (scope: CancellationScope, arrival: Arrival, task: Task, placeOf: PlaceOf): Verdict => {
  for (const rule of rules) {
    const verdict = rule(scope, arrival, task, placeOf);
    if (verdict !== undefined) return verdict;
  }
  return { kind: 'act' };
};
