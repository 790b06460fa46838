import { proposedEvent } from './proposed-events.js';

const proposed = (data: string) => proposedEvent({ id: 'i', type: 'T', data, metadata: '{"a":"b"}' });

describe('an event on its way to the server', () => {
  it.each(['{"a":[1,null,"☃"]}', '"text"', '12', 'null', '{"__proto__":1}', '"\\ud800"'])(
    '%s is JSON that comes back as it is',
    (data) => {
      const event = proposed(data);
      expect(event.contentType).toBe('application/json');
      expect(JSON.stringify(event.data)).toBe(data);
    },
  );

  it.each(['{"a": 1}', '1.0', '{"b":1,"b":2}', '{"cut off', '', '"\\u0041"', '9007199254740993'])(
    '%j is kept as the bytes that it is',
    (data) => {
      const event = proposed(data);
      expect(event.contentType).toBe('application/octet-stream');
      expect(new TextDecoder().decode(event.data as Uint8Array)).toBe(data);
    },
  );

  it('hands its metadata over as bytes, which the client leaves alone', () => {
    expect(new TextDecoder().decode(proposed('1').metadata)).toBe('{"a":"b"}');
  });
});
