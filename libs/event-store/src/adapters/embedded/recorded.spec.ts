import { toIso } from './recorded.js';

describe('the time of an event', () => {
  it.each([0, 1, 999, 1_000, 1_767_225_599_999, 1_767_225_600_000, 1_767_225_600_007, 1_767_225_600_070, -1])(
    '%d milliseconds is written as a Date writes it',
    (milliseconds) => expect(toIso(milliseconds)).toBe(new Date(milliseconds).toISOString()),
  );
});
