import { plain } from '../content.js';
import { assign, linkChild, olderParent, submit } from '../testing/commands.js';
import {
  at,
  canceled,
  childLinked,
  completed,
  message,
  parentAssigned,
  started,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import { addChild, childrenOf } from './children.js';
import type { Link, LinkPolicy, LinkTerms, OnEnd } from './events.js';
import { shelfSizeMin } from './shelves.js';
import type { Task } from './state.js';

const terms: LinkTerms = { policy: 'cascade', onEnd: 'abandon' };

describe('a task is submitted', () => {
  it('with what was said', () => {
    given()
      .when(
        submit({
          message: message('hello'),
          metadata: { a: 1 },
          askSchema: { type: 'string' },
          link: { kind: 'run', id: 'r' },
        }),
      )
      .then({
        type: 'TaskSubmitted',
        data: {
          at: at(20),
          taskId: 't1',
          contextId: 'c1',
          link: { kind: 'run', id: 'r' },
          rootTaskId: 't1',
          messageId: 'm-hello',
          content: plain({ message: message('hello'), metadata: { a: 1 }, askSchema: { type: 'string' } }),
        },
      });
  });

  it('with nothing at all', () => {
    given()
      .when(submit())
      .then({
        type: 'TaskSubmitted',
        data: { at: at(20), taskId: 't1', contextId: 'c1', rootTaskId: 't1', content: plain({}) },
      });
  });

  it('once', () => {
    given(submitted).when(submit()).thenRefuses('idempotency-conflict');
  });

  it.each([
    [{ contextId: '' }, 'contextId'],
    [{ contextId: 'x'.repeat(300) }, 'contextId'],
    [{ message: message('x', { contextId: 'c2' }) }, 'message.contextId'],
    [{ message: message('x', { parts: [] }) }, 'message.parts'],
    [{ link: { kind: 'walk' } as unknown as Link }, 'link.kind'],
    [{ link: { kind: 'subagent', handle: '' } as Link }, 'link.handle'],
  ])('not with %j', (more, field) => {
    given().when(submit(more)).thenRefusesField(field);
  });
});

describe('a child is born', () => {
  const child = { taskId: 't1', parent: { taskId: 'p1' }, parentTask: olderParent };

  it('with its parent, its root and the terms that were not said', () => {
    given()
      .when(submit(child))
      .thenTask({
        parent: { taskId: 'p1', policy: 'cascade', onEnd: 'abandon' },
        rootTaskId: 'r1',
        createdAt: at(20),
      });
  });

  it('after its parent, even when the clock stands still', () => {
    given()
      .when(submit({ ...child, at: at(0), parentTask: { ...olderParent, createdAt: at(0) } }))
      .thenTask({ createdAt: '2026-01-01T12:00:00.001Z' });
  });

  it('not of a parent that has ended', () => {
    given()
      .when(submit({ ...child, parentTask: { ...olderParent, state: 'completed' } }))
      .thenRefuses('task-is-terminal', { taskId: 'p1', state: 'TASK_STATE_COMPLETED', revision: 4 });
  });

  it('with the terms that were said', () => {
    const parent = { taskId: 'p1', policy: 'cooperative', onEnd: 'cascade', graceMs: 5_000 } as const;
    given()
      .when(submit({ ...child, parent }))
      .thenTask({ parent });
  });

  it.each([
    [{ graceMs: 5_000 }, 'parent.graceMs'],
    [{ policy: 'abandon', graceMs: 5_000 }, 'parent.graceMs'],
    [{ policy: 'cooperative', graceMs: 999 }, 'parent.graceMs'],
    [{ policy: 'cooperative', graceMs: 86_400_001 }, 'parent.graceMs'],
    [{ onEnd: 'sometimes' as OnEnd }, 'parent.onEnd'],
    [{ policy: 'maybe' as LinkPolicy }, 'parent.policy'],
  ] as const)('not with the terms %j', (terms, field) => {
    given()
      .when(submit({ ...child, parent: { taskId: 'p1', ...terms } }))
      .thenRefusesField(field);
  });
});

describe('a task is adopted', () => {
  it('by a parent that is older', () => {
    given(submitted)
      .when(assign({ parent: { taskId: 'p1', policy: 'abandon' } }))
      .then({
        type: 'ParentAssigned',
        data: {
          at: at(20),
          parent: { taskId: 'p1', policy: 'abandon', onEnd: 'abandon' },
          rootTaskId: 'r1',
        },
      });
  });

  it('by one parent only', () => {
    given(submitted, parentAssigned(1, 'p0'))
      .when(assign())
      .thenRefuses('link-refused', { reason: 'has-parent' });
  });

  it('once: the same link again is announced again, not assigned again', () => {
    given(submitted, parentAssigned(1, 'p1')).when(assign()).thenNothing();
    given(submitted, parentAssigned(1, 'p1'), completed()).when(assign()).thenNothing();
  });

  it('on the same terms only', () => {
    given(submitted, parentAssigned(1, 'p1'))
      .when(assign({ parent: { taskId: 'p1', policy: 'abandon' } }))
      .thenRefuses('link-refused', { reason: 'has-parent' });
  });

  it.each([
    ['a younger parent', { taskId: 'p1', createdAt: at(1) }, 'parent-is-younger'],
    ['one as old, with a larger id', { taskId: 'u1', createdAt: at(0) }, 'parent-is-younger'],
    ['itself', { taskId: 't1', createdAt: at(0) }, 'same-task'],
  ])('not by %s', (_what, facts, reason) => {
    given(submitted)
      .when(assign({ parent: { taskId: facts.taskId }, parentTask: { ...olderParent, ...facts } }))
      .thenRefuses('link-refused', { reason });
  });

  it('by one as old with a smaller id', () => {
    given(submitted)
      .when(assign({ parentTask: { ...olderParent, createdAt: at(0) } }))
      .thenTypes('ParentAssigned');
  });

  it('not when it has ended', () => {
    given(submitted, completed()).when(assign()).thenRefuses('task-is-terminal', { taskId: 't1' });
  });

  it('not by a parent that has ended', () => {
    given(submitted)
      .when(assign({ parentTask: { ...olderParent, state: 'failed' } }))
      .thenRefuses('task-is-terminal', { taskId: 'p1', state: 'TASK_STATE_FAILED' });
  });

  it.each([
    [{ graceMs: 5_000 }, 'graceMs'],
    [{ policy: 'cooperative', graceMs: 1.5e3 + 0.5 }, 'graceMs'],
    [{ onEnd: 'sometimes' as OnEnd }, 'onEnd'],
  ] as const)('not with the terms %j', (terms, field) => {
    given(submitted)
      .when(assign({ parent: { taskId: 'p1', ...terms } }))
      .thenRefusesField(field);
  });
});

describe('a child is announced', () => {
  it('on its parent, once', () => {
    given(submitted, started())
      .when(linkChild('k1'))
      .thenTask({ childCount: 1, children: childrenOf([['k1', { ...terms, revision: 2 }]]) });
    given(submitted, started(), childLinked(2, 'k1')).when(linkChild('k1')).thenNothing();
  });

  it('beside others', () => {
    given(submitted, childLinked(2, 'k1'))
      .when(linkChild('k2'))
      .thenTask({
        childCount: 2,
        children: childrenOf([
          ['k1', { ...terms, revision: 1 }],
          ['k2', { ...terms, revision: 2 }],
        ]),
      });
  });

  it('with the terms of its link', () => {
    const gentle = { policy: 'cooperative', onEnd: 'cascade', graceMs: 5_000 } as const;
    given(submitted)
      .when(linkChild('k1', { child: { taskId: 'k1', ...gentle } }))
      .thenTask({ children: childrenOf([['k1', { ...gentle, revision: 1 }]]), endsChildren: true });
    expect(given(submitted, childLinked(2, 'k1')).task).not.toHaveProperty('endsChildren');
  });

  it('by the first announcement, should a stream hold another', () => {
    const twice = [childLinked(2, 'k1'), childLinked(3, 'k1', { policy: 'abandon', onEnd: 'cascade' })];
    expect(given(submitted, ...twice).task).toMatchObject({
      childCount: 1,
      children: childrenOf([['k1', { ...terms, revision: 1 }]]),
    });
    expect(given(submitted, ...twice).task).not.toHaveProperty('endsChildren');
  });

  it('among very many, without copying them all for each', () => {
    const links = Array.from({ length: 5 * shelfSizeMin + 1 }, (_, index) =>
      childLinked(2, `k${String(index)}`),
    );
    const { task } = given(submitted, ...links);
    expect(task?.children.map(({ count }) => count)).toEqual([128, 32, 1]);
    for (const index of [0, 31, 127, 128, 159, 160])
      given(submitted, ...links)
        .when(linkChild(`k${String(index)}`))
        .thenNothing();
  });

  it('and stands where it would stand had all been announced one by one', () => {
    const ids = Array.from({ length: 9 * shelfSizeMin }, (_, index) => `k${String(index)}`);
    const facts = ids.map((id, revision) => [id, { ...terms, revision }] as const);
    let children: Task['children'] = [];
    for (const [index, [id, fact]] of facts.entries()) {
      children = addChild(children, id, fact);
      // As text: a deep comparison of so many would take seconds.
      expect(JSON.stringify(childrenOf(facts.slice(0, index + 1)))).toBe(JSON.stringify(children));
    }
    expect(childrenOf([])).toEqual([]);
  });

  it('whatever its id is (C45)', () => {
    given(submitted, childLinked(2, '__proto__')).when(linkChild('__proto__')).thenNothing();
    given(submitted, childLinked(2, '__proto__')).when(linkChild('constructor')).thenTask({ childCount: 2 });
  });

  it('never on a parent that has ended', () => {
    given(submitted, canceled()).when(linkChild('k1')).thenRefuses('task-is-terminal');
  });

  it('and known as announced when the parent has ended since', () => {
    given(submitted, childLinked(2, 'k1'), canceled()).when(linkChild('k1')).thenNothing();
  });
});
