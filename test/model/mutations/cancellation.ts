import { plain, type CancellationLog, type LateLog, type Task } from '#domain';
import {
  agent,
  chain,
  cooperative,
  create,
  descendants,
  immediate,
  pair,
  working,
} from '../configurations.js';
import type { Mutation } from '../mutations.js';
import { deciding, visiting } from './changes.js';

const asked = { policy: 'cooperative' } as const;

const withoutRequest = (task: Task): Task => {
  const { openCancellation: _open, ...rest } = task;
  return rest;
};

const nothingBeside: LateLog = {
  revision: -1,
  lastEventId: '',
  updatedAt: '',
  refusedIds: [],
  children: [],
  childCount: 0,
  notedCancellationIds: [],
};

/** Asking, waiting, declining, opening; and of the descendants only. */
export const cancellationMutations: readonly Mutation[] = [
  {
    name: 'a wider cancel is answered by the request that is open',
    configuration: {
      given: pair(),
      handlers: [cooperative(0, 'A', false), immediate(0, 'B')],
    },
    without: deciding('CancelTask', (real, command, task) => {
      if (task?.openCancellation === undefined) return real(command, task);
      return real(command, { ...task, openCancellation: { ...task.openCancellation, cascade: true } });
    }),
    breaks: '(1)',
  },
  {
    name: 'a cooperative link asks a task that is asked',
    configuration: { given: pair(asked), handlers: [cooperative(1, 'B'), immediate(0, 'A')] },
    without: (rules) =>
      deciding('CarryCancellation', (real, command, task) => real(command, task && withoutRequest(task)))(
        visiting((real, scope, arrival, task, placeOf) => {
          const isAskedByOther =
            arrival.link !== undefined && task.openCancellation?.cancellationId !== scope.cancellationId;
          return real(scope, arrival, isAskedByOther ? withoutRequest(task) : task, placeOf);
        })(rules),
      ),
    breaks: '(0) t1 is asked while it is asked',
  },
  {
    name: 'what is below an asked task is touched before it has ended',
    configuration: { given: chain(asked), handlers: [immediate(0, 'A')] },
    without: visiting((real, scope, arrival, task, placeOf) => {
      const verdict = real(scope, arrival, task, placeOf);
      if (verdict.kind !== 'wait' || arrival.link === undefined) return verdict;
      const line = { outcome: 'canceled', settledAt: arrival.reach.at, worker: 'unnotified' } as const;
      return { kind: 'settled', line, below: { reach: arrival.reach, cause: arrival.cause } };
    }),
    breaks: '(0) t2 is reached by A while t1 is open',
  },
  {
    name: 'the timer of a declined request ends the task',
    configuration: { given: pair(asked), handlers: [immediate(0, 'A'), agent(1, 'decline')] },
    without: deciding('ForceCancellation', (real, command, task) => {
      if (task === undefined || task.end !== undefined || task.openCancellation !== undefined)
        return real(command, task);
      const { at, cancellationId } = command;
      const request = {
        mode: 'immediate',
        cascade: true,
        requestedBy: { principal: 'alice', role: 'user', via: 'ledger-api' },
      } as const;
      const data = { at, cancellationId, stoppedBy: 'parent', request, content: plain({}) } as const;
      return [{ type: 'TaskCanceled', data }];
    }),
    breaks: '(2)',
  },
  {
    name: 'cascade: false goes below the root',
    configuration: { given: pair(), handlers: [immediate(0, 'A', false)] },
    without: visiting((real, scope, ...of) => real({ ...scope, cascade: true }, ...of)),
    breaks: '(2)',
  },
  {
    name: 'tasks are carried on before the certificate is open',
    configuration: { given: pair(), handlers: [immediate(0, 'A')] },
    without: (rules) => ({
      ...rules,
      sweep: (scope, streams, onTheWay) => {
        const now = rules.sweep(scope, streams, onTheWay);
        if (streams.log !== undefined) return now;
        const opened = rules.sweep(scope, { ...streams, log: openLog(scope.cancellationId) }, onTheWay);
        return { ...opened, records: now.records };
      },
    }),
    breaks: '(0) t1 is reached before A is open',
  },
  {
    name: 'a cancellation of the descendants is not noted beside its root',
    configuration: {
      given: chain(),
      handlers: [descendants(0, 'A'), create(3, 2), agent(1, 'complete')],
    },
    without: (rules) => ({
      ...rules,
      known: (known, { kind, cancellationId }) =>
        kind === 'descendants'
          ? {
              ...known,
              late: { ...(known.late ?? nothingBeside), notedCancellationIds: [cancellationId] },
            }
          : known,
    }),
    breaks: '(1)',
  },
  {
    name: 'a later link directly under the root of the descendants is covered',
    configuration: { given: working(0), handlers: [descendants(0, 'A'), create(1, 0)] },
    without: (rules) => ({
      ...rules,
      onTheWay: { ...rules.onTheWay, linksBefore: (links) => ({ before: links }) },
    }),
    breaks: '(6)',
  },
  {
    name: 'a later link anywhere below the root of the descendants is not covered',
    configuration: {
      given: pair(asked),
      handlers: [descendants(0, 'A'), create(2, 1), agent(1, 'complete')],
      placesLinks: true,
    },
    without: (rules) => ({
      ...rules,
      known: (known, { kind, begin }) => {
        if (kind !== 'descendants' || known.task === undefined) return known;
        const stands = ({ revision }: { readonly revision: number }): boolean =>
          (known.placeOf(revision)?.position ?? '') < begin.position;
        const children = known.task.children.map(({ facts }) => {
          const kept = Object.entries(facts).filter(([, child]) => stands(child));
          return { count: kept.length, facts: Object.fromEntries(kept) };
        });
        const late = known.late && { ...known.late, children: [] };
        return { ...known, task: { ...known.task, children }, late };
      },
    }),
    breaks: '(1)',
  },
];

/** A certificate as it is when it was just opened, as far as a sweep asks. */
const openLog = (cancellationId: string): CancellationLog => ({
  revision: 0,
  lastEventId: '',
  updatedAt: '',
  cancellationId,
  rootTaskId: 't0',
  requestedAt: '',
  request: {
    mode: 'immediate',
    cascade: true,
    requestedBy: { principal: 'alice', role: 'user', via: 'ledger-api' },
  },
  descendantsOnly: false,
  repeats: [],
  nodes: [],
  nodeCount: 0,
  waitingCount: 0,
  workerFacts: [],
  counts: {
    canceled: 0,
    forced: 0,
    alreadyTerminal: 0,
    lostRace: 0,
    abandoned: 0,
    refused: 0,
    unreachable: 0,
    unknownRemote: 0,
  },
  workers: { none: 0, unnotified: 0, notified: 0, acknowledged: 0, leaseExpired: 0, wroteLate: 0 },
  status: 'running',
  wasSettled: false,
  tenant: 'acme',
  owner: 'alice',
});
