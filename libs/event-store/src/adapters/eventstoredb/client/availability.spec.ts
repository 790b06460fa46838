import { Availability } from './availability.js';

const timings = { probe: 1, probeMax: 2 };

describe('a server that is away', () => {
  it('is back with its first word, and who waited is told', async () => {
    let asked = 0;
    const availability: Availability = new Availability(timings, async () => {
      asked += 1;
      if (asked === 3) availability.replied();
      return Promise.resolve();
    });
    availability.failed('nobody there');
    expect(availability.awayReason).toBe('nobody there');
    expect(await availability.whenBack(60_000)).toBe(true);
    expect([asked, availability.awayReason]).toEqual([3, undefined]);
  });

  it('is not waited for beyond the time', async () => {
    const availability = new Availability(timings, () => Promise.reject(new Error('nobody there')));
    availability.failed('nobody there');
    expect(await availability.whenBack(1)).toBe(false);
    availability.close();
  });

  it('is asked for by one question at a time, and by none after the close', async () => {
    let underWay = 0;
    let most = 0;
    const availability = new Availability(timings, async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    });
    for (let failure = 0; failure < 5; failure++) availability.failed('nobody there');
    expect(await availability.whenBack(10)).toBe(false);
    const waiting = availability.whenBack(60_000);
    availability.close();
    expect(await waiting).toBe(false);
    expect(await availability.whenBack(60_000)).toBe(false);
    expect(most).toBe(1);
  });

  it('is taken to be there until a call fails', async () => {
    const availability = new Availability(timings, () => Promise.resolve());
    expect([availability.awayReason, await availability.whenBack(0)]).toEqual([undefined, true]);
  });
});
