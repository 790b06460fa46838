import { waitUntil } from './wait-until.js';

const counting = (): (() => Promise<number>) => {
  let looks = 0;
  return () => Promise.resolve((looks += 1));
};

const never = (): boolean => false;

describe('waiting for something that is looked at again and again', () => {
  it('answers at once what will do', async () => {
    const limits = { timeoutMs: 60_000, everyMs: 60_000, isOver: never };
    expect(await waitUntil(counting(), () => true, limits)).toBe(1);
  });

  it('looks until it will do', async () => {
    const limits = { timeoutMs: 60_000, everyMs: 1, isOver: never };
    expect(await waitUntil(counting(), (found) => found === 3, limits)).toBe(3);
  });

  it('answers what it found last when the time is over', async () => {
    expect(await waitUntil(counting(), never, { timeoutMs: 0, everyMs: 1, isOver: never })).toBe(1);
  });

  it('ends when nobody waits any more', async () => {
    expect(await waitUntil(counting(), never, { timeoutMs: 60_000, everyMs: 1, isOver: () => true })).toBe(1);
  });
});
