import type { ReadAllOptions, ReadStreamOptions } from '../../../port.js';
import { logEndsTooEarly, streamEndsTooEarly } from './stale-answer.js';

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
    expect(streamEndsTooEarly(events(...revisions), options, 5)).toBe(early);
  });
});

describe('an answer about the whole log that ends too early', () => {
  const at = (place: number): string => String(place).padStart(20, '0');
  const rows: [string, number[], Partial<ReadAllOptions>, boolean][] = [
    ['forwards, short of the head', [30, 40], { from: at(30) }, true],
    ['forwards, nothing where the head is', [], { from: at(50) }, true],
    ['forwards, up to the head', [40, 50], { from: at(30) }, false],
    ['forwards, a full page', [10, 20, 30, 40], {}, false],
    ['forwards, from beyond the head', [], { from: at(51) }, false],
    ['backwards, the head is missing', [40], { direction: 'backwards' }, true],
    ['backwards, the head is there', [50], { direction: 'backwards' }, false],
    ['backwards, from a position', [], { direction: 'backwards', from: at(50) }, false],
  ];

  it.each(rows)('%s', (_, places, options, early) => {
    const events = places.map((place) => ({ position: { commit: BigInt(place) } }));
    expect(logEndsTooEarly(events, { limit: 4, ...options }, at(50))).toBe(early);
  });
});
