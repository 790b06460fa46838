import type { CancellationScope, SettledNode } from '#domain';
import { Streams } from './spec/streams.js';
import { linesMax, Sweep } from './sweep.js';
import type { SweepWork } from './known.js';

const asked = { policy: 'cooperative' } as const;

/** Does all work there is, one piece after the other, and answers it. */
const drive = (sweep: Sweep, streams: Streams): readonly SweepWork[] => {
  const done: SweepWork[] = [];
  for (let work = sweep.take(1); work[0] !== undefined; work = sweep.take(1)) {
    const [piece] = work;
    done.push(piece);
    if (piece.kind === 'carry') streams.carry(sweep.scope, piece);
    sweep.tell(piece.taskId, streams.known(piece.taskId));
  }
  return done;
};

const linesOf = (sweep: Sweep): readonly SettledNode[] => {
  const lines: SettledNode[] = [];
  for (let some = sweep.takeSettled(); some.length > 0; some = sweep.takeSettled()) lines.push(...some);
  return lines;
};

const outcomes = (sweep: Sweep): Record<string, string> =>
  Object.fromEntries(linesOf(sweep).map(({ taskId, outcome }) => [taskId, outcome]));

const begun = (streams: Streams, scope: CancellationScope, path: readonly string[] = []) => {
  const sweep = new Sweep(scope, path);
  const done = drive(sweep, streams);
  return { sweep, done };
};

describe('a sweep', () => {
  it('carries a cancellation to everything below, and gives every task its line', () => {
    const streams = new Streams()
      .root('r')
      .child('a', 'r')
      .child('b', 'a')
      .child('x', 'r', { policy: 'abandon' });
    const { sweep, done } = begun(streams, streams.cancel('r', 'C'));
    expect(done.filter(({ kind }) => kind === 'carry').map(({ taskId }) => taskId)).toEqual(['a', 'b']);
    expect(sweep.idle).toBe(true);
    expect(linesOf(sweep)).toMatchObject([
      { taskId: 'r', depth: 0, outcome: 'canceled', worker: 'unnotified', attempts: 1 },
      { taskId: 'x', depth: 1, parentTaskId: 'r', policy: 'abandon', outcome: 'abandoned' },
      { taskId: 'a', depth: 1, parentTaskId: 'r', policy: 'cascade', outcome: 'canceled' },
      { taskId: 'b', depth: 2, parentTaskId: 'a', outcome: 'canceled' },
    ]);
    expect(streams.fold('b').end?.cancellationId).toBe('C');
    expect(streams.fold('x').end).toBeUndefined();
  });

  it('asks a task over a cooperative link, and touches nothing below before it has ended', () => {
    const streams = new Streams().root('r').child('a', 'r', asked).child('b', 'a');
    const { sweep, done } = begun(streams, streams.cancel('r', 'C'));
    expect(done.map(({ taskId }) => taskId)).not.toContain('b');
    expect(streams.fold('a').openCancellation?.cancellationId).toBe('C');
    expect([...sweep.waiting.keys()]).toEqual(['a']);
    expect(sweep.takeAwaited()).toMatchObject([{ taskId: 'a', policy: 'cooperative', depth: 1 }]);
    expect(sweep.idle).toBe(true);

    sweep.tell('a', streams.complete('a').known('a'));
    expect(sweep.waiting.size).toBe(0);
    drive(sweep, streams);
    expect(outcomes(sweep)).toEqual({ r: 'canceled', a: 'lostRace', b: 'canceled' });
  });

  it('leaves a task and what is below it alone after it has declined', () => {
    const streams = new Streams().root('r').child('a', 'r', asked).child('b', 'a');
    const { sweep } = begun(streams, streams.cancel('r', 'C'));
    sweep.tell('a', streams.decline('a').known('a'));
    expect(drive(sweep, streams)).toEqual([]);
    expect(outcomes(sweep)).toEqual({ r: 'canceled', a: 'refused' });
    expect(streams.fold('b').end).toBeUndefined();
  });

  it('gives out one waiting line for a task, however often it is told', () => {
    const streams = new Streams().root('r').child('a', 'r', asked);
    const { sweep } = begun(streams, streams.cancel('r', 'C'));
    expect(sweep.takeAwaited()).toHaveLength(1);
    sweep.tell('a', streams.known('a'));
    expect(sweep.takeAwaited()).toEqual([]);
    expect([...sweep.waiting.keys()]).toEqual(['a']);
  });

  it('waits for its root, and goes on below it', () => {
    const streams = new Streams().root('r').child('a', 'r');
    const { sweep } = begun(streams, streams.cancel('r', 'C', { mode: 'cooperative' }));
    expect([...sweep.waiting.keys()]).toEqual(['r']);
    sweep.tell('r', streams.complete('r').known('r'));
    drive(sweep, streams);
    expect(outcomes(sweep)).toEqual({ r: 'lostRace', a: 'canceled' });
  });

  it('takes late children with the others, and says that they are late', () => {
    const streams = new Streams().root('r').child('a', 'r');
    const scope = streams.cancel('r', 'C');
    streams.born('late', 'r').announce('late');
    const { sweep } = begun(streams, scope);
    expect(linesOf(sweep).find(({ taskId }) => taskId === 'late')).toMatchObject({
      late: true,
      outcome: 'canceled',
    });
  });

  it('counts how often a task was carried on', () => {
    const streams = new Streams().root('r').child('a', 'r');
    const sweep = new Sweep(streams.cancel('r', 'C'));
    for (let tries = 0; tries < 4; tries += 1) {
      for (const { taskId } of sweep.take(10)) sweep.tell(taskId, streams.known(taskId));
    }
    drive(sweep, streams);
    expect(linesOf(sweep).find(({ taskId }) => taskId === 'a')?.attempts).toBe(3);
  });

  it('calls a task that is not there unreachable', () => {
    const streams = new Streams().root('r');
    streams.task('r', {
      type: 'LinkChild',
      at: '2026-01-01T12:00:00.000Z',
      child: { taskId: 'nobody', policy: 'cascade', onEnd: 'abandon' },
    });
    const { sweep } = begun(streams, streams.cancel('r', 'C'));
    expect(linesOf(sweep)).toContainEqual(
      expect.objectContaining({ taskId: 'nobody', outcome: 'unreachable', lastError: 'task-not-found' }),
    );
  });

  it('does not care for what it is told of a task whose work nobody has taken', () => {
    const streams = new Streams().root('r').child('a', 'r');
    const sweep = new Sweep(streams.cancel('r', 'C'));
    sweep.tell('r', streams.known('r'));
    expect(linesOf(sweep)).toEqual([]);
    drive(sweep, streams);
    sweep.tell('a', streams.known('a'));
    expect(linesOf(sweep)).toHaveLength(2);
  });

  it('remembers only what it waits for when it forgets', () => {
    const streams = new Streams().root('r').child('a', 'r', asked).child('b', 'a').child('c', 'r');
    const { sweep } = begun(streams, streams.cancel('r', 'C'));
    sweep.forget();
    expect(linesOf(sweep)).toHaveLength(2);
    sweep.tell('a', streams.complete('a').known('a'));
    drive(sweep, streams);
    expect(outcomes(sweep)).toEqual({ a: 'lostRace', b: 'canceled' });
  });
});

describe('along a path', () => {
  it('only the links to the next task are followed, and everything below the last', () => {
    const streams = new Streams()
      .root('r')
      .child('a', 'r')
      .child('other', 'r')
      .child('p', 'a')
      .child('sibling', 'a');
    const scope = streams.cancel('r', 'C');
    drive(new Sweep(scope), streams);
    streams.born('late', 'p').born('below', 'late').announce('below').announce('late');
    const { sweep } = begun(streams, scope, ['r', 'a', 'p', 'late']);
    expect(outcomes(sweep)).toEqual({
      r: 'canceled',
      a: 'canceled',
      p: 'canceled',
      late: 'canceled',
      below: 'canceled',
    });
  });
});

describe('the answer to an end', () => {
  const orphaned = { onEnd: 'cascade' } as const;

  it('opens only when somebody lives who is to end with the task', () => {
    const streams = new Streams().root('r').child('a', 'r', orphaned).complete('r');
    const sweep = new Sweep(streams.answer('r'));
    expect(sweep.opens).toBe(false);
    drive(sweep, streams);
    expect(sweep.opens).toBe(true);
    expect(outcomes(sweep)).toEqual({ r: 'alreadyTerminal', a: 'canceled' });
    expect(streams.fold('a')).toMatchObject({ state: 'stopped', stoppedBy: 'orphaned' });
  });

  it('does not open where they have all ended, or none is to end with it', () => {
    const ended = new Streams().root('r').child('a', 'r', orphaned).complete('a').complete('r');
    expect(begun(ended, ended.answer('r')).sweep.opens).toBe(false);
    const free = new Streams().root('r').child('a', 'r').complete('r');
    expect(begun(free, free.answer('r')).sweep).toMatchObject({ opens: false, idle: true });
  });

  it('of a request opens at once', () => {
    const streams = new Streams().root('r');
    expect(new Sweep(streams.cancel('r', 'C')).opens).toBe(true);
  });
});

describe('of the descendants only', () => {
  it('the root is no node, and its later links are not covered', () => {
    const streams = new Streams().root('r').child('a', 'r').child('b', 'a');
    const scope = streams.cancelDescendants('r', 'D');
    streams.child('later', 'r').child('below', 'b');
    const { sweep } = begun(streams, scope);
    expect(outcomes(sweep)).toEqual({ a: 'canceled', b: 'canceled', below: 'canceled' });
    expect(streams.fold('r').end).toBeUndefined();
    expect(streams.fold('later').end).toBeUndefined();
  });

  it('asks for few places of many links, one at a time', () => {
    const streams = new Streams().root('r');
    for (let index = 0; index < 1_000; index += 1) streams.child(`c${String(index)}`, 'r');
    const { sweep, done } = begun(streams, streams.cancelDescendants('r', 'D'));
    expect(done.filter(({ kind }) => kind === 'places').length).toBeLessThanOrEqual(11);
    expect(linesOf(sweep)).toHaveLength(1_000);
  });
});

describe('large trees', () => {
  it('of 10,000 children: lines in parts, work in parts', () => {
    const streams = new Streams().root('r');
    for (let index = 0; index < 10_000; index += 1) streams.child(`c${String(index)}`, 'r');
    const sweep = new Sweep(streams.cancel('r', 'C'));
    const counts: number[] = [];
    for (let work = sweep.take(128); work.length > 0; work = sweep.take(128)) {
      expect(work.length).toBeLessThanOrEqual(128);
      for (const piece of work) {
        if (piece.kind === 'carry') streams.carry(sweep.scope, piece);
        sweep.tell(piece.taskId, streams.known(piece.taskId));
      }
      for (let some = sweep.takeSettled(); some.length > 0; some = sweep.takeSettled())
        counts.push(some.length);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(linesMax);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10_001);
    expect(sweep.idle).toBe(true);
  });

  it('in a chain of 5,000, and along a path of 5,000', () => {
    const streams = new Streams().root('t0');
    for (let index = 1; index < 5_000; index += 1)
      streams.child(`t${String(index)}`, `t${String(index - 1)}`);
    const scope = streams.cancel('t0', 'C');
    const { sweep } = begun(streams, scope);
    expect(linesOf(sweep).at(-1)).toMatchObject({ taskId: 't4999', depth: 4_999 });
    streams.born('late', 't4999').announce('late');
    const path = [...Array.from({ length: 5_000 }, (_, index) => `t${String(index)}`), 'late'];
    expect(linesOf(begun(streams, scope, path).sweep).at(-1)).toMatchObject({ taskId: 'late', late: true });
  });
});
