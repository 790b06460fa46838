import { pino } from 'pino';
import { DomainError } from '#domain';
import { OutcomeUnknownError, StoreUnavailableError } from '#event-store';
import { Starting, StartStoppedError } from './starting.js';

const logger = pino({ level: 'silent' });

/** Fails with one error after the other, then answers; `seen` looks at the start before each failure but the first. */
const failing = (errors: readonly Error[], seen: () => void) => {
  const left = [...errors];
  return (): Promise<string> => {
    if (left.length < errors.length) seen();
    const error = left.shift();
    return error === undefined ? Promise.resolve('opened') : Promise.reject(error);
  };
};

describe('a start', () => {
  it('waits for servers that may come, and says for which and why', async () => {
    const starting = new Starting(logger);
    expect(starting.reasons).toEqual(['the service is starting']);
    const told: (readonly string[])[] = [];
    const errors = [
      new StoreUnavailableError('connection refused'),
      new OutcomeUnknownError('no answer'),
      new DomainError('unavailable', 'no database'),
    ];
    const open = failing(errors, () => told.push(starting.reasons));
    expect(await starting.until('the store', open)).toBe('opened');
    expect(told).toEqual([
      ['waiting for the store: connection refused'],
      ['waiting for the store: no answer'],
      ['waiting for the store: no database'],
    ]);
    expect(starting.reasons).toEqual(['the service is starting']);
  });

  it('ends at once with what no waiting can mend', async () => {
    const starting = new Starting(logger);
    const mistake = new Error('wrong password');
    await expect(starting.until('the store', () => Promise.reject(mistake))).rejects.toBe(mistake);
  });

  it('that is stopped waits no longer', async () => {
    const stop = new AbortController();
    const starting = new Starting(logger, stop.signal);
    const waiting = starting.until('the store', () => {
      stop.abort();
      return Promise.reject(new StoreUnavailableError('connection refused'));
    });
    await expect(waiting).rejects.toThrow(StartStoppedError);
    expect(starting.isOff).toBe(true);
  });

  it('that one part called off ends the others with the same reason', async () => {
    const starting = new Starting(logger);
    const mistake = new Error('wrong password');
    const waiting = starting.until('the database', () => {
      starting.callOff(mistake);
      return Promise.reject(new StoreUnavailableError('connection refused'));
    });
    await expect(waiting).rejects.toBe(mistake);
    expect(() => {
      starting.goOn();
    }).toThrow(mistake);
  });
});
