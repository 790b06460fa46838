import { behindMsMax, busyShare, burstBatch, restFactor, restMsMax, Rests } from './rest.js';

/** A process whose clock goes on by 2 ms with each moment, and which was busy for these shares so far, then for ever. */
const processOf = (...shares: readonly number[]) => {
  let moments = 0;
  return {
    now: () => 2 * moments,
    moment: () => {
      moments += 1;
      return Promise.resolve();
    },
    busy: () => () => shares[moments - 1] ?? 1,
    get moments(): number {
      return moments;
    },
  };
};

const nobodyWaits = (): boolean => false;
const long = { events: burstBatch, isFull: false, tookMs: 10 };
const full = { events: 500, isFull: true, tookMs: 50 };

describe('A view in a burst', () => {
  it('rests while the process is busy, for so many times as long as the batch took', async () => {
    const busy = processOf();
    await new Rests(nobodyWaits, busy).after(long);
    expect(busy.now()).toBe(restFactor * long.tookMs);
  });

  it('rests no longer than a bound, however long the batch took', async () => {
    const busy = processOf();
    await new Rests(nobodyWaits, busy).after({ ...long, tookMs: 10_000 });
    expect(busy.now()).toBe(restMsMax);
  });

  it('goes on as soon as the process has not been busy enough', async () => {
    const calming = processOf(1, 0.9, busyShare - 0.01);
    await new Rests(nobodyWaits, calming).after(long);
    expect(calming.moments).toBe(3);
  });

  it('does not rest while somebody waits for it', async () => {
    const busy = processOf();
    await new Rests(() => true, busy).after(long);
    expect(busy.moments).toBe(0);
  });

  it('goes on when somebody begins to wait', async () => {
    const busy = processOf();
    await new Rests(() => busy.moments >= 2, busy).after(long);
    expect(busy.moments).toBe(2);
  });

  it('goes on at once after a short one', async () => {
    const busy = processOf();
    await new Rests(nobodyWaits, busy).after({ ...long, events: burstBatch - 1 });
    expect(busy.moments).toBe(0);
  });
});

describe('A view that is behind the log', () => {
  const fallBehind = async (rests: Rests): Promise<void> => {
    for (let batch = 0; batch < 40; batch += 1) await rests.after(full);
  };

  it('rests for so long and no longer, whatever is still to come', async () => {
    const busy = processOf();
    await fallBehind(new Rests(nobodyWaits, busy));
    expect(busy.now()).toBe(behindMsMax);
  });

  it('rests again once it has caught up', async () => {
    const busy = processOf();
    const rests = new Rests(nobodyWaits, busy);
    await fallBehind(rests);
    rests.caughtUp();
    await rests.after(full);
    expect(busy.now()).toBe(behindMsMax + restMsMax);
  });

  it('has caught up where a batch was not full', async () => {
    const busy = processOf();
    const rests = new Rests(nobodyWaits, busy);
    await fallBehind(rests);
    await rests.after(long);
    expect(busy.now()).toBe(behindMsMax + restFactor * long.tookMs);
  });
});
