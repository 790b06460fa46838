import { StoreUnavailableError } from './errors.js';
import { LogGrowth } from './log-growth.js';
import type { RecordedEvent } from './port.js';
import { toPosition } from './positions.js';
import { followLog } from './subscription.js';
import type { FollowedLog, LogPage, LogPageRequest } from './subscription.js';

/** A log of numbered events that counts its reads and fails as often as it is told. */
class CountedLog implements FollowedLog {
  readonly growth: LogGrowth;
  readonly asked: number[] = [];
  failures: Error[] = [];

  constructor(events: number) {
    this.growth = new LogGrowth(events);
  }

  async page({ after, limit }: LogPageRequest): Promise<LogPage> {
    await Promise.resolve();
    this.asked.push(after);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const count = Math.min(limit, this.growth.newest - after);
    const events = Array.from({ length: count }, (_, index) => numbered(after + index + 1));
    return { events, scannedTo: after + count };
  }
}

const numbered = (place: number): RecordedEvent => ({
  stream: 'test.task',
  revision: place - 1,
  position: toPosition(place),
  id: String(place),
  type: 'SomethingHappened',
  data: '{}',
  metadata: '{}',
  created: '2026-01-01T00:00:00.000Z',
});

const subscribe = (log: FollowedLog): ReturnType<ReturnType<typeof followLog>[typeof Symbol.asyncIterator]> =>
  followLog(log, { from: 'start', prefix: 'test.', batchSize: 10 })[Symbol.asyncIterator]();

describe('following a log', () => {
  it('reads nothing before it is asked, and one page for one message', async () => {
    const log = new CountedLog(100);
    const messages = subscribe(log);
    expect(log.asked).toEqual([]);
    await messages.next();
    expect(log.asked).toEqual([0]);
    await messages.next();
    expect(log.asked).toEqual([0, 10]);
  });

  it('reads nothing while the log does not grow', async () => {
    const log = new CountedLog(5);
    const messages = subscribe(log);
    await messages.next();
    expect(await messages.next()).toMatchObject({ value: { kind: 'live' } });
    const next = messages.next();
    expect(log.asked).toEqual([0]);
    log.growth.advance(6);
    expect(await next).toMatchObject({ value: { events: [{ id: '6' }] } });
    expect(log.asked).toEqual([0, 5]);
  });

  it('C38 goes on where it was after the log was away, as often as it is', async () => {
    const log = new CountedLog(20);
    const messages = subscribe(log);
    await messages.next();
    log.failures = [new StoreUnavailableError('away'), new StoreUnavailableError('away again')];
    expect(await messages.next()).toMatchObject({ value: { kind: 'events', events: { 0: { id: '11' } } } });
    expect(log.asked).toEqual([0, 10, 10, 10]);
  });

  it('hands any other error to its consumer and is over', async () => {
    const log = new CountedLog(20);
    const messages = subscribe(log);
    log.failures = [new RangeError('a defect')];
    await expect(messages.next()).rejects.toThrow('a defect');
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });

  it('ends at the close of the log', async () => {
    const log = new CountedLog(0);
    const messages = subscribe(log);
    await messages.next();
    const next = messages.next();
    log.growth.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
