import { Place } from './places.js';

const at = (commit: bigint) => ({ commit, prepare: commit });

describe('the place of a subscription', () => {
  it('is not moved by what an empty log is said to be looked at up to', () => {
    const place = new Place(undefined);
    place.scan(at(2n ** 64n - 1n));
    expect(place.scanned).toBe('start');
    place.deliver(at(10n), 'one');
    expect([place.delivered, place.scanned]).toEqual(['00000000000000000010', at(10n)]);
  });

  it('begins anew at the last event it has passed, wherever the server says to have looked', () => {
    const place = new Place({ position: at(5n), id: 'one' });
    place.pass(at(7n), 'two');
    place.scan({ commit: 9n, prepare: 0n });
    expect(place.scanned).toEqual({ commit: 9n, prepare: 0n });
    expect(place.restart()).toEqual(at(7n));
    expect(place.delivered).toBe('00000000000000000005');
  });
});
