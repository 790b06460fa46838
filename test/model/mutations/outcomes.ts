import { carriedBy, factsOf, type Arrival, type LinkTerms } from '#domain';
import { agent, chain, cooperative, immediate, pair } from '../configurations.js';
import type { Mutation } from '../mutations.js';
import { visiting } from './changes.js';

const asked = { policy: 'cooperative' } as const;
const abandoned = { policy: 'abandon' } as const;

const over = (arrival: Arrival, terms: Partial<LinkTerms>): Arrival =>
  arrival.link === undefined
    ? arrival
    : { ...arrival, link: { ...arrival.link, child: { ...arrival.link.child, ...terms } } };

/** Outcomes and shields. */
export const outcomeMutations: readonly Mutation[] = [
  {
    name: 'a task is abandoned only while it is open',
    configuration: { given: chain(abandoned), handlers: [immediate(0, 'A'), agent(1, 'complete')] },
    without: visiting((real, scope, arrival, task, placeOf) => {
      const isAbandoned = arrival.link !== undefined && carriedBy(scope, arrival.link.child) === 'abandon';
      if (!isAbandoned || task.end === undefined) return real(scope, arrival, task, placeOf);
      const carried = over(arrival, { policy: 'cascade', onEnd: 'cascade' });
      return real({ ...scope, cascade: false }, carried, task, placeOf);
    }),
    breaks: '(4)',
  },
  {
    name: 'an abandoned link carries a cancel',
    configuration: { given: pair(abandoned), handlers: [immediate(0, 'A')] },
    without: visiting((real, scope, arrival, ...of) =>
      real(scope, over(arrival, { policy: 'cascade' }), ...of),
    ),
    breaks: '(2)',
  },
  {
    name: 'a decline holds only while the task is open',
    configuration: {
      given: chain(asked),
      handlers: [immediate(0, 'A'), agent(1, 'decline', 'complete')],
    },
    without: visiting((real, scope, arrival, task, placeOf) =>
      real(scope, arrival, task.end === undefined ? task : { ...task, requests: [] }, placeOf),
    ),
    breaks: '(6)',
  },
  {
    name: 'a decline shields from every cancellation',
    configuration: {
      given: pair(asked),
      handlers: [cooperative(1, 'B'), agent(1, 'decline'), immediate(0, 'A')],
    },
    without: visiting((real, scope, arrival, task, placeOf) => {
      const isDeclined = factsOf(task.requests).some(([, { declined }]) => declined !== undefined);
      if (!isDeclined) return real(scope, arrival, task, placeOf);
      return { kind: 'settled', line: { outcome: 'refused', settledAt: task.updatedAt, worker: 'none' } };
    }),
    breaks: '(1)',
  },
  {
    name: 'a task that has ended shields what is below',
    configuration: { given: chain(), handlers: [immediate(0, 'A'), agent(1, 'complete')] },
    without: visiting((real, ...of) => {
      const verdict = real(...of);
      if (verdict.kind !== 'settled' || verdict.line.outcome === 'canceled') return verdict;
      return { kind: 'settled', line: verdict.line };
    }),
    breaks: '(1)',
  },
  {
    name: 'no end is alreadyTerminal by its position',
    configuration: { given: pair(), handlers: [immediate(0, 'A'), agent(1, 'complete')] },
    without: visiting((real, ...of) => {
      const verdict = real(...of);
      if (verdict.kind !== 'settled' || verdict.line.outcome !== 'alreadyTerminal') return verdict;
      return verdict.line.by === undefined
        ? { ...verdict, line: { ...verdict.line, outcome: 'lostRace' } }
        : verdict;
    }),
    breaks: '(4)',
  },
  {
    name: 'a task that another cancellation ended is judged by position',
    configuration: { given: pair(), handlers: [immediate(0, 'A'), immediate(1, 'B')] },
    without: visiting((real, scope, arrival, task, placeOf) => {
      const { end } = task;
      if (end?.cancellationId === undefined || end.cancellationId === scope.cancellationId)
        return real(scope, arrival, task, placeOf);
      const { cancellationId: _other, ...ofNobody } = end;
      return real(scope, arrival, { ...task, end: ofNobody }, placeOf);
    }),
    breaks: '(4)',
  },
  {
    name: 'below an asked task things are reached as that task was',
    configuration: { given: chain(asked), handlers: [immediate(0, 'A'), agent(2, 'complete')] },
    without: visiting((real, scope, arrival, ...of) => {
      const verdict = real(scope, arrival, ...of);
      if (verdict.kind !== 'settled' || verdict.below === undefined) return verdict;
      return { ...verdict, below: { ...verdict.below, reach: arrival.reach } };
    }),
    breaks: '(4)',
  },
];
