import { Slots } from './slots.js';

describe('slots', () => {
  const never = new AbortController().signal;
  const settled = async (promise: Promise<unknown>): Promise<boolean> =>
    Promise.race([promise.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);

  it('are given in turn, and handed on when they are given back', async () => {
    const slots = new Slots(1);
    const giveBack = await slots.take(never);
    const second = slots.take(never);
    const third = slots.take(never);
    expect(await settled(second)).toBe(false);
    giveBack();
    giveBack();
    expect(await settled(second)).toBe(true);
    expect(await settled(third)).toBe(false);
    (await second)();
    expect(await settled(third)).toBe(true);
  });

  it('a wait that is left takes none', async () => {
    const slots = new Slots(1);
    const giveBack = await slots.take(never);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    leaving.abort();
    (await left)();
    const next = slots.take(never);
    expect(await settled(next)).toBe(false);
    giveBack();
    expect(await settled(next)).toBe(true);
  });
});
