import type { AppendOutcome, AppendRequest } from './messages.js';
import { flattenBatch, flattenOutcomes, readBatch, readOutcome } from './messages.js';

const event = (data: string): AppendRequest['events'][number] => ({
  id: data,
  type: 't',
  data,
  metadata: '{}',
});

describe('what crosses the thread boundary', () => {
  it('a batch comes out as it went in', () => {
    const batch: AppendRequest[] = [
      { stream: 'test.a', expected: 'none', events: [event('1'), event('2')] },
      { stream: 'test.b', expected: 'any', events: [event('')] },
      { stream: '7', expected: 0, events: [event('-1')] },
      { stream: 'test.c', expected: 99_999, events: [event('𝄞')] },
    ];
    expect(readBatch(structuredClone(flattenBatch(batch)))).toEqual(batch);
  });

  it('so do the outcomes', () => {
    const outcomes: AppendOutcome[] = [
      { kind: 'written', revision: 0, position: 1 },
      { kind: 'repeated', revision: 7, position: 2 ** 40 },
      { kind: 'conflict', actual: 0 },
      { kind: 'conflict', actual: 'none' },
      { kind: 'refused', reason: 'full' },
      { kind: 'unknown', reason: 'torn' },
    ];
    const flat = structuredClone(flattenOutcomes(outcomes));
    expect(outcomes.map((_, index) => readOutcome(flat, index))).toEqual(outcomes);
  });

  it('an outcome that is missing is unknown', () => {
    expect(readOutcome([], 0)).toMatchObject({ kind: 'unknown' });
  });
});
