import type { LinkPolicy, OnEnd } from '#domain';
import type { AgentAct, Configuration, Given, Handler, LinkOf } from './configuration.js';

// Who may act in a configuration.

export const immediate = (root: number, id: string, cascade = true): Handler => ({
  kind: 'cancel',
  root,
  id,
  mode: 'immediate',
  cascade,
});
export const cooperative = (root: number, id: string, cascade = true): Handler => ({
  kind: 'cancel',
  root,
  id,
  mode: 'cooperative',
  cascade,
});
export const descendants = (root: number, id: string): Handler => ({ kind: 'descendants', root, id });

type Terms = Partial<Pick<LinkOf, 'policy' | 'onEnd'>>;

const link = (child: number, parent: number, { policy = 'cascade', onEnd = 'abandon' }: Terms): LinkOf => ({
  child,
  parent,
  policy,
  onEnd,
});
export const create = (child: number, parent: number, terms: Terms = {}): Handler => ({
  kind: 'create',
  ...link(child, parent, terms),
});
export const adopt = (child: number, parent: number, terms: Terms = {}): Handler => ({
  kind: 'adopt',
  ...link(child, parent, terms),
});
export const agent = (task: number, ...acts: readonly AgentAct[]): Handler => ({ kind: 'agent', task, acts });

// What stands before anybody acts.

/** A task at work. */
export const working = (task: number): readonly Given[] => [{ submit: task }, { start: task }];

export const workingChild = (child: number, parent: number, terms: Terms = {}): readonly Given[] => [
  idleChild(child, parent, terms),
  { start: child },
];

export const idleChild = (child: number, parent: number, terms: Terms = {}): Given => {
  const { child: submit, ...rest } = link(child, parent, terms);
  return { submit, link: rest };
};

/** Two tasks at work, the second below the first. */
export const pair = (terms: Terms = {}): readonly Given[] => [...working(0), ...workingChild(1, 0, terms)];

/** Three, each below the one before. */
export const chain = (upper: Terms = {}, lower: Terms = {}): readonly Given[] => [
  ...pair(upper),
  ...workingChild(2, 1, lower),
];

const both = (policy: LinkPolicy, onEnd: OnEnd): Terms => ({ policy, onEnd });

const asked = { policy: 'cooperative' } as const;
const abandoned = { policy: 'abandon' } as const;
const orphaned = { onEnd: 'cascade' } as const;

/** Two tasks, and a third one beside them that may be adopted. */
const beside = [...pair(), ...working(2)];
/** The same, the third one with a child of its own that is not at work. */
const besideParent = [...beside, idleChild(3, 2)];

/** Links that race one cancel. */
const links: readonly Configuration[] = [
  {
    name: 'T1a a create below an inner task, the root canceled',
    given: chain(),
    handlers: [create(3, 2), immediate(0, 'A'), agent(2, 'complete')],
    sagaCrashes: 1,
    handlerCrashes: 1,
  },
  {
    name: 'T1b a task with a child is adopted, the root canceled',
    given: besideParent,
    handlers: [adopt(2, 1), immediate(0, 'A'), agent(1, 'complete')],
    sagaCrashes: 1,
    handlerCrashes: 1,
  },
  {
    name: 'T1c two creates, one below the other',
    given: pair(),
    handlers: [create(2, 1), create(3, 2), immediate(0, 'A')],
    handlerCrashes: 1,
  },
  {
    name: 'T1d two adoptions of one task',
    given: beside,
    handlers: [adopt(2, 1), adopt(2, 0), immediate(0, 'A')],
    handlerCrashes: 1,
  },
  {
    name: 'T1e adoptions of a task and below it',
    given: [...beside, ...working(3)],
    handlers: [adopt(2, 1), adopt(3, 2), immediate(0, 'A')],
  },
  {
    name: 'T1f a task that is canceled itself is adopted',
    given: besideParent,
    handlers: [adopt(2, 1), immediate(0, 'A'), cooperative(2, 'B')],
  },
  {
    name: 'T1g a task that is asked itself is adopted over a cooperative link, and declines',
    given: besideParent,
    handlers: [adopt(2, 0, asked), immediate(0, 'A'), cooperative(2, 'B'), agent(2, 'decline')],
  },
];

/** Two cancellations, and what agents answer. */
const cancels: readonly Configuration[] = [
  {
    name: 'T2a root and inner task canceled, a late create',
    given: chain(),
    handlers: [create(3, 2), immediate(0, 'A'), immediate(1, 'B')],
    handlerCrashes: 1,
  },
  {
    name: 'T2b the inner one alone, a late create below it',
    given: chain(),
    handlers: [create(3, 1), immediate(0, 'A'), immediate(1, 'B', false)],
    handlerCrashes: 1,
  },
  {
    name: 'T2c the root asked, the inner task canceled',
    given: chain(asked),
    handlers: [cooperative(0, 'A'), immediate(1, 'B'), agent(0, 'complete', 'decline'), create(3, 2)],
  },
  {
    name: 'T2d the inner task asked twice, by its own cancel and over a cooperative link',
    given: chain(asked),
    handlers: [cooperative(1, 'B'), immediate(0, 'A'), agent(1, 'decline', 'complete'), agent(2, 'complete')],
    sagaCrashes: 1,
  },
  {
    name: 'T2e cooperative links at every level',
    given: chain(asked, asked),
    handlers: [
      immediate(0, 'A'),
      agent(1, 'decline', 'complete'),
      agent(2, 'decline', 'complete'),
      create(3, 2),
    ],
  },
  {
    name: 'T2f the root declines and is canceled anew',
    given: chain(asked),
    handlers: [
      cooperative(0, 'A'),
      cooperative(0, 'B'),
      agent(0, 'decline'),
      agent(1, 'decline', 'complete'),
    ],
    sagaCrashes: 1,
  },
  {
    name: 'T2g asked, then canceled at once',
    given: chain(asked),
    handlers: [cooperative(0, 'A'), immediate(0, 'B'), agent(0, 'decline', 'complete'), agent(1, 'complete')],
    sagaCrashes: 1,
  },
  {
    name: 'T2h asked alone, then canceled with everything below',
    given: chain(asked),
    handlers: [cooperative(0, 'A', false), immediate(0, 'B'), agent(0, 'decline', 'complete'), create(3, 1)],
    sagaCrashes: 1,
    handlerCrashes: 1,
  },
  {
    name: 'T2i the same under a parent that is canceled too',
    given: chain({}, asked),
    handlers: [cooperative(1, 'A', false), immediate(1, 'B'), immediate(0, 'D'), agent(1, 'decline')],
    handlerCrashes: 1,
  },
  {
    name: 'T2j the same with a cooperative link above',
    given: chain(asked),
    handlers: [
      cooperative(1, 'A', false),
      immediate(1, 'B'),
      immediate(0, 'D'),
      agent(1, 'decline', 'complete'),
    ],
  },
];

const withEnds = (upper: OnEnd, lower: OnEnd, late: OnEnd): readonly Configuration[] => {
  const ends = `onEnd ${upper}, ${lower}, ${late}`;
  const above = { onEnd: upper };
  const below = { onEnd: lower };
  return [
    {
      name: `T3a ${ends}: a late create, both above end`,
      given: chain(above, below),
      handlers: [create(3, 1, { onEnd: late }), agent(0, 'complete'), agent(1, 'complete')],
      sagaCrashes: 1,
    },
    {
      name: `T3c ${ends}: no link carries a cancel, the inner task canceled`,
      given: chain(both('abandon', upper), both('abandon', lower)),
      handlers: [create(3, 1, both('abandon', late)), agent(0, 'complete'), immediate(1, 'A')],
    },
    {
      name: `T3e ${ends}: the root ends while the inner task is asked`,
      given: chain(both('cooperative', upper), below),
      handlers: [
        agent(0, 'complete'),
        cooperative(1, 'A'),
        agent(1, 'decline', 'complete'),
        agent(2, 'complete'),
      ],
      sagaCrashes: 1,
    },
  ];
};

/** The root does not end by itself here, so that the upper `onEnd` means nothing. */
const withLowerEnds = (lower: OnEnd, late: OnEnd): readonly Configuration[] => {
  const ends = `onEnd ${lower}, ${late}`;
  const below = { onEnd: lower };
  return [
    {
      name: `T3b ${ends}: the root canceled`,
      given: chain({}, below),
      handlers: [create(3, 1, { onEnd: late }), agent(1, 'complete'), immediate(0, 'A')],
      handlerCrashes: 1,
    },
    {
      name: `T3d ${ends}: the ending parent is asked`,
      given: chain({}, both('cooperative', lower)),
      handlers: [create(3, 1, { onEnd: late }), agent(1, 'decline', 'complete'), cooperative(1, 'A')],
      sagaCrashes: 1,
    },
  ];
};

/** Children that are to end with their parents. */
const ends: readonly Configuration[] = [
  ...withEnds('cascade', 'cascade', 'cascade'),
  ...withEnds('cascade', 'abandon', 'cascade'),
  ...withEnds('abandon', 'cascade', 'cascade'),
  ...withLowerEnds('cascade', 'cascade'),
  ...withLowerEnds('abandon', 'cascade'),
  {
    name: 'T5a children that may end themselves, a late one',
    given: chain(orphaned, orphaned),
    handlers: [agent(0, 'complete'), agent(1, 'complete'), create(3, 1, orphaned)],
    sagaCrashes: 1,
  },
  {
    name: 'T5b a request without cascade is open on the ending parent, a late child',
    given: chain(orphaned, orphaned),
    handlers: [
      cooperative(0, 'A', false),
      agent(0, 'complete', 'decline'),
      create(3, 0, both('abandon', 'cascade')),
    ],
    sagaCrashes: 1,
  },
];

/** A leader that was deposed and does not know it. */
const leaders: readonly Configuration[] = [
  {
    name: 'T4a two sagas, the root canceled, a late create',
    given: pair(),
    handlers: [create(2, 1), immediate(0, 'A')],
    sagas: 2,
    twoPhase: true,
  },
  {
    name: 'T4b two sagas, an end and a cancel',
    given: pair(orphaned),
    handlers: [agent(0, 'complete'), immediate(1, 'A')],
    sagas: 2,
    twoPhase: true,
  },
  {
    name: 'T4c two sagas, cooperative',
    given: chain(asked),
    handlers: [immediate(0, 'A'), agent(1, 'decline', 'complete')],
    sagas: 2,
    twoPhase: true,
  },
  {
    name: 'T4d two sagas, two cancels',
    given: chain(),
    handlers: [immediate(0, 'A'), immediate(1, 'B')],
    sagas: 2,
    twoPhase: true,
  },
  {
    name: 'T4e two sagas that crash, children that end with their parents',
    given: pair(orphaned),
    handlers: [agent(0, 'complete'), agent(1, 'complete')],
    sagas: 2,
    sagaCrashes: 1,
    twoPhase: true,
  },
];

/** Two sagas of which the first vanishes, its last append perhaps still on its way. */
const lostLeaders: readonly Configuration[] = [
  {
    name: 'T4f the leader is lost, children that end with their parents or by themselves',
    given: pair(orphaned),
    handlers: [agent(0, 'complete'), agent(1, 'complete')],
    sagas: 2,
    twoPhase: true,
    losesLeader: true,
  },
];

/** Cancellations of the descendants only. */
const belowOnly: readonly Configuration[] = [
  {
    name: 'W1 the descendants, cooperative, a late create at the end of the chain',
    given: chain(asked),
    handlers: [descendants(0, 'A'), create(3, 2), agent(1, 'complete', 'decline'), agent(2, 'complete')],
    sagaCrashes: 1,
    handlerCrashes: 1,
  },
  {
    name: 'W2 the descendants, while the root ends too',
    given: chain(),
    handlers: [descendants(0, 'A'), create(3, 1), agent(0, 'complete'), agent(1, 'complete')],
    sagaCrashes: 1,
  },
  {
    name: 'W3 the descendants, and one of them canceled',
    given: chain(),
    handlers: [descendants(0, 'A'), create(3, 2), immediate(1, 'B')],
    handlerCrashes: 1,
  },
  {
    name: 'W5 the descendants, a late child of the root itself',
    given: pair(asked),
    handlers: [descendants(0, 'A'), create(2, 0), agent(1, 'complete', 'decline'), agent(0, 'complete')],
  },
  {
    name: 'W6 the descendants, and the root canceled',
    given: pair(asked),
    handlers: [descendants(0, 'A'), immediate(0, 'B'), create(2, 0), agent(1, 'complete')],
  },
  {
    name: 'W7 the descendants of a task that has ended, a child below it still being linked',
    given: chain(abandoned),
    handlers: [agent(0, 'complete'), descendants(0, 'A'), create(3, 1)],
  },
];

/** In two halves of like size, for two workers. */
export const cancelConfigurations: readonly Configuration[] = [...links, ...cancels];
export const endConfigurations: readonly Configuration[] = [
  ...ends,
  ...leaders,
  ...lostLeaders,
  ...belowOnly,
];
