import { KnownEvents } from './known-events.js';

const at = (stream: string, revision: number, place: number) => ({
  stream,
  revision,
  position: String(place).padStart(20, '0'),
});

describe('what this process knows of the log', () => {
  it('is the newest revision of a stream, in whatever order it was seen', () => {
    const known = new KnownEvents();
    known.reached('a', 3);
    known.seen(at('a', 1, 10));
    expect([known.newest('a'), known.newest('b')]).toEqual([3, undefined]);
    known.forget('a');
    expect(known.newest('a')).toBeUndefined();
  });

  it('is bounded: the stream seen longest ago is forgotten first', () => {
    const known = new KnownEvents(2);
    known.reached('a', 0);
    known.reached('b', 0);
    known.reached('a', 1);
    known.reached('c', 0);
    expect([known.newest('a'), known.newest('b'), known.newest('c')]).toEqual([1, undefined, 0]);
  });

  it('has a head for each prefix that was asked for, and no older event moves it back', () => {
    const known = new KnownEvents();
    expect(known.head('test.')).toBeUndefined();
    known.seen(at('test.a', 0, 20));
    known.seen(at('test.b', 0, 10));
    known.seen(at('other.a', 0, 30));
    expect(known.head('test.')).toBe(at('', 0, 20).position);
  });
});
