import type { ReadStreamOptions } from '../../../port.js';
import { endsTooEarly } from './stale-answer.js';

const events = (...revisions: number[]): { revision: bigint }[] =>
  revisions.map((revision) => ({ revision: BigInt(revision) }));

describe('an answer that ends too early', () => {
  const rows: [string, number[], ReadStreamOptions, boolean][] = [
    ['forwards, short of what is known', [3, 4], { from: 3, limit: 10 }, true],
    ['forwards, nothing where something is known', [], { limit: 10 }, true],
    ['forwards, up to what is known', [3, 4, 5], { from: 3, limit: 10 }, false],
    ['forwards, beyond what is known', [3, 4, 5, 6], { from: 3, limit: 10 }, false],
    ['forwards, a full page', [3, 4], { from: 3, limit: 2 }, false],
    ['forwards, from behind what is known', [], { from: 6, limit: 10 }, false],
    ['backwards, the newest is missing', [4, 3], { direction: 'backwards', limit: 2 }, true],
    ['backwards, nothing', [], { direction: 'backwards', limit: 2 }, true],
    ['backwards, the newest is there', [5, 4], { direction: 'backwards', limit: 2 }, false],
    ['backwards, from before what is known', [3], { direction: 'backwards', from: 3, limit: 1 }, false],
    ['backwards, from before what is known, less', [2], { direction: 'backwards', from: 3, limit: 1 }, true],
    ['backwards, from behind what is known', [5], { direction: 'backwards', from: 9, limit: 1 }, false],
  ];

  it.each(rows)('%s', (_, revisions, options, early) => {
    expect(endsTooEarly(events(...revisions), options, 5)).toBe(early);
  });
});
