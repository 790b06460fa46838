import { agent, chain, create, immediate, pair, working } from '../configurations.js';
import type { Mutation } from '../mutations.js';
import type { RuntimeRules } from '../rules.js';
import type { Change } from './changes.js';

const running =
  (changed: Partial<RuntimeRules>): Change =>
  (rules) => ({ ...rules, runtime: { ...rules.runtime, ...changed } });

const twoLeaders = { sagas: 2, twoPhase: true } as const;

/** What the saga's runtime and the handlers keep to. */
export const runtimeMutations: readonly Mutation[] = [
  {
    name: 'the saga announces no child',
    configuration: { given: working(0), handlers: [create(1, 0)], handlerCrashes: 1 },
    without: running({ announces: false }),
    breaks: '(3)',
  },
  {
    name: 'the certificate is opened before the root has its event',
    configuration: { given: working(0), handlers: [immediate(0, 'A')], handlerCrashes: 1 },
    without: running({ rootFirst: false }),
    breaks: '(4) A is open, and never began',
  },
  {
    name: 'lines are appended at any revision',
    configuration: { given: pair(), handlers: [immediate(0, 'A')], ...twoLeaders },
    without: running({ exact: { certificate: false, late: true } }),
    breaks: '(0) a second',
  },
  {
    name: 'late links are appended at any revision',
    configuration: {
      given: working(0),
      handlers: [create(1, 0), immediate(0, 'A')],
      handlerCrashes: 1,
      ...twoLeaders,
    },
    without: running({ exact: { certificate: true, late: false } }),
    breaks: '(0) a double link',
  },
  {
    name: 'a late link does not hold the low-water mark',
    configuration: {
      given: chain(),
      handlers: [immediate(0, 'A'), create(3, 2)],
      sagaCrashes: 1,
      losesState: false,
    },
    without: running({ lateLinksHoldMark: false }),
    breaks: '(1)',
  },
  {
    name: 'an answer to an end that a lost leader opened is left to it',
    configuration: {
      given: pair({ onEnd: 'cascade' }),
      handlers: [agent(0, 'complete'), agent(1, 'complete')],
      losesLeader: true,
      ...twoLeaders,
    },
    without: running({ readsOwnOpenings: false }),
    breaks: '(4)',
  },
  {
    name: 'lines that stand are written again',
    configuration: { given: pair(), handlers: [immediate(0, 'A')] },
    without: (rules) => ({
      ...rules,
      sweep: (scope, streams, onTheWay) =>
        rules.sweep(scope, { ...streams, log: streams.log && { ...streams.log, nodes: [] } }, onTheWay),
      decideCancellation: (command, log) => rules.decideCancellation(command, log && { ...log, nodes: [] }),
    }),
    breaks: '(0) a second line',
  },
];
