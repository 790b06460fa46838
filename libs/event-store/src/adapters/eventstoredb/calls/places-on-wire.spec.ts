import { PlacesOnWire } from './places-on-wire.js';

describe('places on the wire', () => {
  it('are taken at once while there are any, then in the order of asking', async () => {
    const places = new PlacesOnWire(1);
    expect(places.take(1_000)).toBe(true);
    const order: string[] = [];
    const second = Promise.resolve(places.take(60_000)).then(() => order.push('second'));
    const third = Promise.resolve(places.take(60_000)).then(() => order.push('third'));
    places.release();
    await second;
    places.release();
    await third;
    expect(order).toEqual(['second', 'third']);
    places.release();
    expect(places.take(1)).toBe(true);
  });

  it('are not waited for beyond the time, and one given back goes to who still waits', async () => {
    const places = new PlacesOnWire(1);
    expect(places.take(1)).toBe(true);
    expect(await places.take(1)).toBe(false);
    places.release();
    expect(places.take(1)).toBe(true);
  });
});
