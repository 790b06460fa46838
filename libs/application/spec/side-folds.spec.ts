import type { CancellationLog } from '#domain';
import { memberCharacters, weightOf } from '../src/sides/certificate-weight.js';
import { SideFolds, type SideFold } from '../src/sides/side-folds.js';

const fold = (revision: number, nodes = 1): SideFold<number> => ({
  log: nodes,
  revision,
  lastEventId: `e${revision}`,
  commands: [],
});

const folds = (limits: { folds: number; nodes: number }) =>
  new SideFolds<number>((nodes = 0) => nodes, limits);

const kept = (of: SideFolds<number>, ...streams: string[]) =>
  streams.filter((stream) => of.get(stream) !== undefined);

it('a certificate weighs what its caller said, too, as often as it is weighed', () => {
  const log = { nodeCount: 3, repeats: [{}, {}] } as unknown as CancellationLog;
  const said = { ...log, reason: 'r'.repeat(memberCharacters), metadata: { a: 'x'.repeat(900_000) } };
  expect(weightOf(undefined)).toBe(0);
  expect(weightOf(log)).toBe(5);
  expect(weightOf(said)).toBeGreaterThan(900_000 / memberCharacters);
  expect(weightOf({ ...said, nodeCount: 4 })).toBe(weightOf(said) + 1);
});

describe('folds of side streams', () => {
  it('are kept up to their number, those that were used last', () => {
    const few = folds({ folds: 2, nodes: 100 });
    few.advance('a', fold(0));
    few.advance('b', fold(0));
    few.get('a');
    few.advance('c', fold(0));
    expect(kept(few, 'a', 'b', 'c')).toEqual(['a', 'c']);
  });

  it('are kept up to what they hold together; the newest one stays however large it is', () => {
    const small = folds({ folds: 100, nodes: 10 });
    small.advance('a', fold(0, 4));
    small.advance('b', fold(0, 4));
    expect(kept(small, 'a', 'b')).toEqual(['a', 'b']);
    small.advance('b', fold(1, 40));
    expect(kept(small, 'a', 'b')).toEqual(['b']);
    small.advance('c', fold(0, 1));
    expect(kept(small, 'b', 'c')).toEqual(['c']);
  });

  it('are never replaced by an older one', async () => {
    const some = folds({ folds: 10, nodes: 100 });
    some.advance('a', fold(3));
    await some.loading('a', () => Promise.resolve(fold(2)));
    expect(some.get('a')?.revision).toBe(3);
  });

  it('what a load brings is not kept when an append has overtaken it and was thrown away since', async () => {
    const one = folds({ folds: 1, nodes: 100 });
    await one.loading('a', async () => {
      one.advance('a', fold(3));
      one.advance('b', fold(0));
      return fold(2);
    });
    expect(one.get('a')).toBeUndefined();
  });

  it('forget everything when they are told to', () => {
    const some = folds({ folds: 10, nodes: 10 });
    some.advance('a', fold(0, 9));
    some.clear();
    some.advance('b', fold(0, 9));
    expect(kept(some, 'a', 'b')).toEqual(['b']);
    expect(some.size).toBe(1);
  });
});
