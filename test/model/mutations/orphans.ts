import { agent, chain, cooperative, create, immediate, pair, working } from '../configurations.js';
import type { Mutation } from '../mutations.js';
import { visiting } from './changes.js';

const orphaned = { onEnd: 'cascade' } as const;
const onlyOrphaned = { policy: 'abandon', onEnd: 'cascade' } as const;

/** Children that are to end with their parents. */
export const orphanMutations: readonly Mutation[] = [
  {
    name: 'a late orphan is answered by nobody',
    configuration: { given: working(0), handlers: [create(1, 0, orphaned), agent(0, 'complete')] },
    without: (rules) => ({
      ...rules,
      lateCandidates: (...of) => rules.lateCandidates(...of).filter(({ kind }) => kind !== 'parentEnd'),
    }),
    breaks: '(1)',
  },
  {
    name: 'the answer to an end goes below what ended otherwise',
    configuration: {
      given: chain(orphaned, onlyOrphaned),
      handlers: [agent(0, 'complete'), immediate(1, 'B')],
    },
    without: visiting((real, scope, arrival, task, placeOf) => {
      const verdict = real(scope, arrival, task, placeOf);
      if (scope.kind !== 'parentEnd' || verdict.kind !== 'settled' || task.end === undefined) return verdict;
      const { reach } = arrival;
      return { below: { reach, cause: { eventId: task.end.eventId, at: task.end.at } }, ...verdict };
    }),
    breaks: '(2)',
  },
  {
    name: 'the answer to an end is opened though nobody is to end with it',
    configuration: { given: pair(), handlers: [agent(0, 'complete')] },
    without: (rules) => ({
      ...rules,
      sweep: (scope, streams, onTheWay) =>
        scope.kind === 'parentEnd' && streams.log === undefined
          ? { carry: [], records: [{ kind: 'open' }], waits: false }
          : rules.sweep(scope, streams, onTheWay),
    }),
    breaks: '(7)',
  },
  {
    name: 'any open request silences onEnd',
    configuration: {
      given: pair(orphaned),
      handlers: [cooperative(0, 'A', false), agent(0, 'complete')],
    },
    without: (rules) => ({
      ...rules,
      answerToEnd: (task) => (task.end?.asked === undefined ? rules.answerToEnd(task) : undefined),
    }),
    breaks: '(7)',
  },
  {
    name: 'no open request silences onEnd',
    configuration: {
      given: pair(onlyOrphaned),
      handlers: [cooperative(0, 'A'), agent(0, 'complete')],
    },
    without: (rules) => ({
      ...rules,
      answerToEnd: ({ state, end }) => {
        if (end === undefined) return undefined;
        const { asked: _asked, ...unasked } = end;
        return rules.answerToEnd({ state, end: unasked });
      },
    }),
    breaks: '(7)',
  },
  {
    name: "a task that was stopped for its parent's end has its own end answered",
    configuration: { given: chain(orphaned, orphaned), handlers: [agent(0, 'complete')] },
    without: (rules) => ({
      ...rules,
      answerToEnd: (task) => (task.state === 'stopped' ? 'own' : rules.answerToEnd(task)),
    }),
    breaks: '(7)',
  },
  {
    name: 'the answer to an end reads policy',
    configuration: { given: pair(onlyOrphaned), handlers: [agent(0, 'complete')] },
    without: visiting((real, scope, arrival, ...of) => {
      const { link } = arrival;
      if (scope.kind !== 'parentEnd' || link === undefined) return real(scope, arrival, ...of);
      const onEnd = link.child.policy === 'abandon' ? 'abandon' : 'cascade';
      return real(scope, { ...arrival, link: { ...link, child: { ...link.child, onEnd } } }, ...of);
    }),
    breaks: '(1)',
  },
];
