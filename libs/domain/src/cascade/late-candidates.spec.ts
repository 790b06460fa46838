import type { LinkTerms, TaskEvent } from '../task/events.js';
import type { Task } from '../task/state.js';
import {
  alice,
  at,
  canceled,
  cancellationDeclined,
  cancellationRequested,
  completed,
  folded,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { ancestorToAsk, lateCandidates, type Ancestor } from './late-candidates.js';

/** A task below another one, or a root. */
const task = (
  taskId: string,
  parent: (Partial<LinkTerms> & { readonly taskId: string }) | undefined,
  ...history: readonly TaskEvent[]
): Task => {
  const born: TaskEvent = {
    type: 'TaskSubmitted',
    data: {
      ...(submitted.data as Extract<TaskEvent, { type: 'TaskSubmitted' }>['data']),
      taskId,
      ...(parent && { parent: { policy: 'cascade', onEnd: 'abandon', ...parent } }),
    },
  };
  const fold = folded(born, started(), ...history);
  if (fold === undefined) throw new Error('no task');
  return fold;
};

const above = (subject: Task, noted: readonly string[] = []): Ancestor => ({
  task: subject,
  late: { notedCancellationIds: noted },
});

const byUser = (id: string, cascade = true) =>
  canceled(9, undefined, {
    cancellationId: id,
    request: { mode: 'immediate', cascade, requestedBy: alice },
  });
const byParent = (id: string) => canceled(9, undefined, { cancellationId: id, stoppedBy: 'parent' });
const askedFor = (id: string, stoppedBy: 'user' | 'parent' = 'user', cascade = true) =>
  cancellationRequested(2, cascade, { cancellationId: id, stoppedBy });
const orphaned = (id: string) => stopped(9, { cancellationId: id, stoppedBy: 'orphaned' });

const child = { taskId: 'late', onEnd: 'abandon' } as const;
const ids = (chain: readonly Ancestor[], onEnd: 'abandon' | 'cascade' = 'abandon') =>
  lateCandidates(chain, { ...child, onEnd }).map((candidate) =>
    candidate.kind === 'parentEnd'
      ? `end of ${candidate.rootTaskId}${candidate.mayOpen ? '' : ', if open'}`
      : `${candidate.cancellationId} at ${candidate.rootTaskId}`,
  );

const underR = (terms: Partial<LinkTerms> = {}) => ({ taskId: 'r', ...terms });

describe('a late link belongs to', () => {
  it('every cascading request that passed its parent, from the whole chain above', () => {
    const chain = [
      above(task('p', { taskId: 'm' }, byParent('inner'))),
      above(task('m', underR(), byUser('inner'))),
      above(task('r', undefined, byUser('outer'))),
    ];
    expect(ids(chain)).toEqual(['inner at m', 'outer at r']);
    expect(lateCandidates(chain, child)).toMatchObject([
      { path: ['m', 'p', 'late'] },
      { path: ['r', 'm', 'p', 'late'] },
    ]);
  });

  it('a request that its parent was asked with and did not decline, however it ended', () => {
    expect(ids([above(task('p', undefined, askedFor('a'), completed()))])).toEqual(['a at p']);
    const declined = task('p', undefined, askedFor('a'), cancellationDeclined(3, 'a'), completed());
    expect(ids([above(declined)])).toEqual(['end of p, if open']);
  });

  it('none without cascade, and none that began elsewhere', () => {
    expect(ids([above(task('p', undefined, byUser('a', false)))])).toEqual([]);
    expect(ids([above(task('p', undefined, byParent('a')))])).toEqual([]);
  });

  it('none that a task on the way down declined, or that is still waiting above', () => {
    const p = task(
      'p',
      underR({ policy: 'cooperative' }),
      askedFor('a', 'parent'),
      cancellationDeclined(3, 'a'),
      byUser('b'),
    );
    expect(ids([above(p), above(task('r', undefined, byUser('a')))])).toEqual(['b at p']);
    expect(
      ids([above(task('p', underR(), byUser('b'))), above(task('r', undefined, askedFor('a')))]),
    ).toEqual(['b at p']);
  });

  it('nothing from above an abandoned link', () => {
    const chain = [
      above(task('p', { taskId: 'm' }, byUser('b'))),
      above(task('m', underR({ policy: 'abandon' }), completed())),
      above(task('r', undefined, byUser('a'))),
    ];
    expect(ids(chain)).toEqual(['b at p']);
  });

  it('a cancellation of the descendants noted above its parent, though that root is open; not one noted there', () => {
    const chain = [above(task('p', underR(), byParent('d')), ['own']), above(task('r', undefined), ['d'])];
    expect(ids(chain)).toEqual(['d at r']);
  });

  it("what answers its parent's end: opened for it where it is to end too, else only if it is open", () => {
    const chain = [above(task('p', undefined, completed()))];
    expect(ids(chain, 'cascade')).toEqual(['end of p']);
    expect(ids(chain, 'abandon')).toEqual(['end of p, if open']);
    expect(lateCandidates(chain, { ...child, onEnd: 'cascade' })).toMatchObject([
      { kind: 'parentEnd', endEventId: 'event-2', path: ['p', 'late'] },
    ]);
  });

  it('the cancellation that stopped its parent, with the root whose end it answers', () => {
    const chain = [
      above(task('p', { taskId: 'm', policy: 'abandon', onEnd: 'cascade' }, orphaned('end-of-r'))),
      above(task('m', underR({ policy: 'abandon', onEnd: 'cascade' }), orphaned('end-of-r'))),
      above(task('r', undefined, completed())),
    ];
    expect(ids(chain, 'cascade')).toEqual(['end of r']);
    expect(lateCandidates(chain, { ...child, onEnd: 'cascade' })[0]?.path).toEqual(['r', 'm', 'p', 'late']);
  });

  it('no answer where the parent was canceled, or ended while a cascading request was open', () => {
    expect(ids([above(task('p', undefined, byUser('a')))], 'cascade')).toEqual(['a at p']);
    expect(ids([above(task('p', undefined, askedFor('a'), completed()))], 'cascade')).toEqual(['a at p']);
  });

  it('an answer where only a request without cascade was open', () => {
    const p = task('p', undefined, askedFor('a', 'user', false), completed());
    expect(ids([above(p)], 'cascade')).toEqual(['end of p']);
  });
});

describe('the walk up', () => {
  it('goes on over what something may have passed', () => {
    expect(ancestorToAsk(task('p', underR(), completed()))).toBe('r');
    expect(ancestorToAsk(task('p', underR({ policy: 'cooperative' }), completed()))).toBe('r');
  });

  it('ends at a root, at an open task, and at an abandoned link', () => {
    expect(ancestorToAsk(task('p', undefined, completed()))).toBeUndefined();
    expect(ancestorToAsk(task('p', underR()))).toBeUndefined();
    expect(ancestorToAsk(task('p', underR({ policy: 'abandon' }), completed()))).toBeUndefined();
  });

  it('goes on over an abandoned link to the root whose end stopped the task', () => {
    expect(ancestorToAsk(task('p', underR({ policy: 'abandon' }), orphaned('end-of-r')))).toBe('r');
  });
});

it('events fold as these tests take them to', () => {
  expect(task('p', undefined, completed()).end).toMatchObject({ eventId: 'event-2', at: at(9) });
});
