import { busyShare, longBatch, restAfter, restFactor, restIsDue, restMsMax } from './rest.js';

/** A process whose clock goes on by 2 ms with each moment, and which is busy for these shares, then for ever. */
const processOf = (...shares: readonly number[]) => {
  let moments = 0;
  return {
    now: () => 2 * moments,
    moment: () => Promise.resolve(shares[moments++] ?? 1),
    get moments(): number {
      return moments;
    },
  };
};

const nobodyWaits = (): boolean => false;

describe('A view that has written a long batch', () => {
  it('rests while the process is busy, for so many times as long as the batch took', async () => {
    const busy = processOf();
    await restAfter(10, nobodyWaits, busy);
    expect(busy.now()).toBe(restFactor * 10);
  });

  it('rests no longer than a bound, however long the batch took', async () => {
    const busy = processOf();
    await restAfter(10_000, nobodyWaits, busy);
    expect(busy.now()).toBe(restMsMax);
  });

  it('goes on after one look where nobody else has much to do', async () => {
    const idle = processOf(busyShare - 0.01);
    await restAfter(10, nobodyWaits, idle);
    expect(idle.moments).toBe(1);
  });

  it('goes on as soon as the process is idle again', async () => {
    const calming = processOf(1, 0.9, 0.1);
    await restAfter(10, nobodyWaits, calming);
    expect(calming.moments).toBe(3);
  });

  it('does not rest while somebody waits for it', async () => {
    const busy = processOf();
    await restAfter(10, () => true, busy);
    expect(busy.moments).toBe(0);
  });

  it('goes on when somebody begins to wait', async () => {
    const busy = processOf();
    await restAfter(10, () => busy.moments >= 2, busy);
    expect(busy.moments).toBe(2);
  });
});

describe('A rest', () => {
  const batchSize = 500;

  it('is due after a long batch', () => {
    expect(restIsDue(longBatch, batchSize)).toBe(true);
    expect(restIsDue(batchSize - 1, batchSize)).toBe(true);
  });

  it('is not due after a short one', () => {
    expect(restIsDue(longBatch - 1, batchSize)).toBe(false);
  });

  it('is not due after a full one: the view is behind', () => {
    expect(restIsDue(batchSize, batchSize)).toBe(false);
  });
});
