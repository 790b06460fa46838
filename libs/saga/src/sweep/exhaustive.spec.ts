import type { CancellationScope, SettledNode } from '#domain';
import { isLineDue, sweep } from './exhaustive.js';
import { Streams } from './spec/streams.js';

const asked = { policy: 'cooperative' } as const;

const next = (streams: Streams, scope: CancellationScope) =>
  sweep(scope, streams.streams(scope.cancellationId));

/** Does what is to be done until nothing is. */
const finish = (streams: Streams, scope: CancellationScope): number => {
  for (let appends = 0; ;) {
    const { carry, records } = next(streams, scope);
    if (carry.length + records.length === 0) return appends;
    for (const piece of carry) streams.carry(scope, piece);
    for (const record of records) streams.record(scope, record);
    appends += carry.length + records.length;
  }
};

describe('what a cancellation does next', () => {
  it('is first its opening, and nothing before that stands', () => {
    const streams = new Streams().root('r').child('a', 'r');
    const scope = streams.cancel('r', 'C');
    expect(next(streams, scope)).toEqual({ carry: [], records: [{ kind: 'open' }], waits: false });
  });

  it('of the descendants only is first the note beside the root', () => {
    const streams = new Streams().root('r').child('a', 'r');
    const scope = streams.cancelDescendants('r', 'D');
    expect(next(streams, scope)).toEqual({ carry: [], records: [{ kind: 'note' }], waits: false });
    finish(streams, scope);
    expect(streams.known('r').late?.notedCancellationIds).toEqual(['D']);
    expect(streams.log('D')).toMatchObject({ status: 'settled', nodeCount: 1 });
  });

  it('is then to carry it on, and to write what is final and what is waited for', () => {
    const streams = new Streams().root('r').child('a', 'r').child('b', 'r', asked);
    const scope = streams.cancel('r', 'C');
    streams.record(scope, { kind: 'open' });
    streams.carry(
      scope,
      next(streams, scope).carry.find(({ taskId }) => taskId === 'b')!,
    );
    const { carry, records, waits } = next(streams, scope);
    expect(carry.map(({ taskId }) => taskId)).toEqual(['a']);
    expect(records).toMatchObject([
      { kind: 'settle-nodes', nodes: [{ taskId: 'r', outcome: 'canceled' }] },
      { kind: 'await', node: { taskId: 'b' } },
    ]);
    expect(waits).toBe(true);
  });

  it('is to settle when every line stands, and then nothing for ever', () => {
    const streams = new Streams().root('r').child('a', 'r').child('b', 'a');
    const scope = streams.cancel('r', 'C');
    finish(streams, scope);
    expect(streams.log('C')).toMatchObject({ status: 'settled', nodeCount: 3, waitingCount: 0 });
    expect(next(streams, scope)).toEqual({ carry: [], records: [], waits: false });
  });

  it('is a line for a late child, and to settle again', () => {
    const streams = new Streams().root('r');
    const scope = streams.cancel('r', 'C');
    finish(streams, scope);
    streams.born('late', 'r').announce('late');
    expect(finish(streams, scope)).toBeGreaterThan(0);
    expect(streams.log('C')).toMatchObject({ status: 'settled', nodeCount: 2 });
  });

  it('is nothing where an end has nobody to be answered for', () => {
    const streams = new Streams().root('r').child('a', 'r', { onEnd: 'cascade' }).complete('a').complete('r');
    expect(finish(streams, streams.answer('r'))).toBe(0);
  });

  it('is to complete the answer to an end once it is open, though nobody is left to be stopped', () => {
    const streams = new Streams().root('r').child('a', 'r', { onEnd: 'cascade' }).complete('r');
    const scope = streams.answer('r');
    expect(next(streams, scope).records).toEqual([{ kind: 'open' }]);
    streams.record(scope, { kind: 'open' });
    streams.complete('a');
    finish(streams, scope);
    expect(streams.log('end-r')).toMatchObject({ status: 'confirmed', nodeCount: 2 });
  });

  it('is at most 256 lines an append', () => {
    const streams = new Streams().root('r');
    for (let index = 0; index < 300; index += 1)
      streams.child(`c${String(index)}`, 'r', { policy: 'abandon' });
    const scope = streams.cancel('r', 'C');
    streams.record(scope, { kind: 'open' });
    const sizes = next(streams, scope).records.map((record) =>
      record.kind === 'settle-nodes' ? record.nodes.length : 0,
    );
    expect(sizes).toEqual([256, 45]);
  });
});

describe('a line is due', () => {
  const line = (outcome: SettledNode['outcome']): SettledNode => ({
    taskId: 'a',
    depth: 1,
    reachedAt: '2026-01-01T12:00:00.000Z',
    settledAt: '2026-01-01T12:00:00.000Z',
    outcome,
    worker: 'none',
    attempts: 1,
  });
  const logWith = (...lines: readonly SettledNode[]) => {
    const streams = new Streams().root('r');
    const scope = streams.cancel('r', 'C');
    streams.record(scope, { kind: 'open' });
    for (const one of lines) streams.record(scope, { kind: 'settle-nodes', nodes: [one] });
    return streams.log('C')!;
  };

  it('where none stands, and where the task could not be seen and can be now', () => {
    expect(isLineDue(logWith(), line('canceled'))).toBe(true);
    expect(isLineDue(logWith(line('unreachable')), line('canceled'))).toBe(true);
    expect(isLineDue(logWith(line('unreachable')), line('unknownRemote'))).toBe(true);
    expect(isLineDue(logWith(line('unknownRemote')), line('lostRace'))).toBe(true);
  });

  it('not where one stands that says as much', () => {
    expect(isLineDue(logWith(line('canceled')), line('lostRace'))).toBe(false);
    expect(isLineDue(logWith(line('unreachable')), line('unreachable'))).toBe(false);
    expect(isLineDue(logWith(line('unknownRemote')), line('unreachable'))).toBe(false);
  });
});
