import type { Mutation } from '../mutations.js';
import { adopt, agent, create, chain, immediate, pair, working } from '../configurations.js';
import { asOpen, deciding } from './changes.js';

const late = { given: working(0), handlers: [create(1, 0), immediate(0, 'A')] };

/** Who a task belongs to, and what of a link that comes too late. */
export const linkMutations: readonly Mutation[] = [
  {
    name: 'the first terminal event does not win',
    configuration: { given: working(0), handlers: [immediate(0, 'A'), agent(0, 'complete')] },
    without: deciding('ChangeState', (real, command, task) => real(command, asOpen(task))),
    breaks: '(0) TaskCompleted after the terminal event',
  },
  {
    name: 'ChildLinked is written to a parent that has ended',
    configuration: { given: working(0), handlers: [create(1, 0), agent(0, 'complete')] },
    without: deciding('LinkChild', (real, command, task) => real(command, asOpen(task))),
    breaks: '(0) ChildLinked after the terminal event',
  },
  {
    name: 'a task is given a second owning parent',
    configuration: {
      given: [...pair(), ...working(2)],
      handlers: [adopt(2, 1), adopt(2, 0)],
    },
    without: deciding('AssignParent', (real, command, task) => {
      if (task === undefined) return real(command, task);
      const { parent: _parent, ...orphan } = task;
      return real(command, orphan);
    }),
    breaks: '(0) a second owning parent',
  },
  {
    name: 'a task that has ended is adopted',
    configuration: {
      given: [...working(0), ...working(1)],
      handlers: [adopt(1, 0), agent(1, 'complete')],
    },
    without: deciding('AssignParent', (real, command, task) => real(command, asOpen(task))),
    breaks: '(0) ParentAssigned after the terminal event',
  },
  {
    name: 'sweeps take no late links',
    configuration: late,
    without: (rules) => ({
      ...rules,
      onTheWay: {
        ...rules.onTheWay,
        linksBelow: (task) => rules.onTheWay.linksBelow(task, undefined),
      },
    }),
    breaks: '(1)',
  },
  {
    name: 'a late link reopens nothing',
    configuration: { ...late, sagas: 1 },
    without: (rules) => ({ ...rules, lateCandidates: () => [] }),
    breaks: '(1)',
  },
  {
    name: 'a late link belongs to the nearest cancellation only',
    configuration: {
      given: chain(),
      handlers: [immediate(0, 'A'), immediate(1, 'B'), create(3, 2)],
    },
    without: (rules) => ({
      ...rules,
      lateCandidates: (...of) => rules.lateCandidates(...of).slice(0, 1),
    }),
    breaks: '(5)',
  },
  {
    name: 'only the parent of a late link is asked what passed it',
    configuration: { given: chain(), handlers: [immediate(0, 'A'), create(3, 2)] },
    without: (rules) => ({ ...rules, ancestorToAsk: () => undefined }),
    breaks: '(1)',
  },
  {
    name: 'a late link that is abandoned has no line',
    configuration: {
      given: working(0),
      handlers: [create(1, 0, { policy: 'abandon' }), immediate(0, 'A')],
    },
    without: (rules) => ({
      ...rules,
      lateCandidates: (chainAbove, child) =>
        'policy' in child && child.policy === 'abandon' ? [] : rules.lateCandidates(chainAbove, child),
    }),
    breaks: '(5)',
  },
];
