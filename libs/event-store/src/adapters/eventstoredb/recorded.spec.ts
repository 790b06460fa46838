import { placeOf, positionOf } from './recorded.js';

describe('a position', () => {
  it('is the commit position in 20 digits, and the same place again', () => {
    const place = { commit: 9_007_199_254_740_993n, prepare: 9_007_199_254_740_993n };
    expect(positionOf(place)).toBe('00009007199254740993');
    expect(placeOf(positionOf(place))).toEqual(place);
  });

  it('of an event of a transaction is an error that names the event', () => {
    expect(() => positionOf({ commit: 10n, prepare: 7n }, 'event 1 of stream s')).toThrow(
      /event 1 of stream s stands at commit position 10 and prepare position 7/,
    );
  });

  it('that the server did not give is none', () => {
    const none = { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n };
    expect(() => positionOf(none, 'event 1 of stream s')).toThrow(
      /event 1 of stream s came without a position/,
    );
  });

  it('may lie before all events or beyond all that a log can have', () => {
    expect(placeOf('00000000000000000000')).toBe('before-all');
    expect(placeOf('99999999999999999999')).toBe('beyond-all');
    expect(placeOf(String(2n ** 63n - 1n).padStart(20, '0'))).toMatchObject({ commit: 2n ** 63n - 1n });
  });
});
