import { randomUUID } from 'node:crypto';
import { WrongExpectedRevisionError } from '../../../errors.js';
import type { NewEvent } from '../../../port.js';
import { Availability } from '../client/availability.js';
import { Clients, type CallingClient } from '../client/clients.js';
import { systemClock } from '../client/clock.js';
import type { Driver, DriverAppendResult, DriverCall, DriverEvent } from '../driver/driver.js';
import { KnownEvents } from '../known-events.js';
import { storeTimings } from '../limits.js';
import { Appends } from './appends.js';
import { CallDesk } from './call-desk.js';
import { LeaderReads } from './leader-reads.js';
import { Reads } from './reads.js';

const never = new Promise<never>(() => undefined);
const stream = 'test.task-1';
const newEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'SomethingHappened',
  data: '{}',
  metadata: '{}',
});

const recorded = ({ id }: NewEvent, revision: number): DriverEvent => ({
  stream,
  revision: BigInt(revision),
  position: { commit: BigInt(1_000 + revision), prepare: BigInt(1_000 + revision) },
  id,
  type: 'SomethingHappened',
  data: '{}',
  metadata: '{}',
  created: new Date(0),
});

const acknowledged = (revision: number): DriverAppendResult => recorded(newEvent(), revision);
const conflict = (actualVersion: bigint | 'no_stream'): Error =>
  Object.assign(new Error(''), { type: 'wrong-expected-version', actualVersion });
const lostAnswer = (): Error =>
  Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), { type: 'unavailable' });

/** A server that answers appends in this order, and every read with these events; nothing: it does not answer. */
interface Script {
  readonly appends?: readonly (DriverAppendResult | Error)[];
  readonly events?: readonly DriverEvent[];
}

const callsOver = ({ appends = [], events }: Script, given: Partial<typeof storeTimings> = {}) => {
  const timings = { ...storeTimings, ...given };
  const noted = { clients: 0, cancelled: 0, stale: 0, readEnd: 0 };
  const answers = [...appends];
  const read = (): DriverCall<readonly DriverEvent[]> => ({
    answer: events === undefined ? never : Promise.resolve(events),
    cancel: () => (noted.cancelled += 1),
  });
  const openDriver = (): Driver => {
    noted.clients += 1;
    return {
      append: async () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer ?? never;
      },
      readStream: read,
      readAll: read,
      subscribeAll: () => ({ pause: () => undefined, resume: () => undefined, cancel: () => undefined }),
      dispose: () => Promise.resolve(),
    };
  };
  // Its probe finds the server there.
  const availability: Availability = new Availability(timings, () => Promise.resolve(availability.replied()));
  const clients = new Clients(openDriver, timings, systemClock, {
    replied: () => availability.replied(),
    left: () => undefined,
    cannotOpen: () => undefined,
  });
  const desk = new CallDesk({
    clients,
    availability,
    timings,
    clock: systemClock,
    wireDeadline: 300_000,
    onRetry: () => undefined,
  });
  const known = new KnownEvents();
  const onStaleAnswer = (client: CallingClient): void => {
    noted.stale += 1;
    clients.leave(client, 'old');
  };
  const reads = new Reads({
    desk,
    leader: new LeaderReads(desk),
    known,
    onStaleAnswer,
    onShorterLog: () => undefined,
  });
  const store = new Appends({
    desk,
    known,
    read: (name, options, end) => {
      noted.readEnd = end;
      return reads.stream(name, options, end);
    },
    onUnknownOutcome: () => undefined,
    onTrouble: () => undefined,
    onStaleAnswer,
  });
  const client = clients.open();
  return { store, reads, known, noted, client };
};

describe('a conflict after an answer that was lost', () => {
  const [one, two, other] = [newEvent(), newEvent(), newEvent()];
  const appends = [lostAnswer(), conflict(1n)];

  it('is a success where these very events stand there, though the server has forgotten their ids', async () => {
    const { store } = callsOver({ appends, events: [recorded(one, 0), recorded(two, 1)] });
    expect(await store.append(stream, [one, two], 'none')).toEqual({
      revision: 1,
      position: '00000000000000001001',
    });
  });

  it.each([
    ['others stand there', [recorded(other, 0), recorded(two, 1)]],
    ['only a part of them stands there', [recorded(one, 0)]],
  ])('is a refusal where %s', async (_, events) => {
    const timings = { staleAnswers: [] };
    const { store } = callsOver({ appends, events }, timings);
    await expect(store.append(stream, [one, two], 'none')).rejects.toThrow(WrongExpectedRevisionError);
  });

  it('leaves the outcome unknown, in the time of the append, where the stream cannot be read', async () => {
    const call = 200;
    const { store, noted } = callsOver({ appends }, { call, look: 10 });
    const appended = store.append(stream, [one, two], 'none');
    const begun = systemClock.now();
    await expect(appended).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(noted.readEnd).toBeLessThanOrEqual(begun + call);
  });
});

describe('a conflict that knows less of the stream than this process', () => {
  it('comes from an old log: the append is sent again on a fresh client', async () => {
    const { store, noted } = callsOver({ appends: [acknowledged(5), conflict(3n), acknowledged(6)] });
    await store.append(stream, [newEvent()], 4);
    expect(await store.append(stream, [newEvent()], 5)).toMatchObject({ revision: 6 });
    expect(noted).toMatchObject({ stale: 1, clients: 2 });
  });

  it('is believed when it stays the same', async () => {
    const appends = [acknowledged(5), ...Array.from({ length: 3 }, () => conflict(3n))];
    const { store, known } = callsOver({ appends }, { staleAnswers: [0, 0] });
    await store.append(stream, [newEvent()], 4);
    await expect(store.append(stream, [newEvent()], 5)).rejects.toMatchObject({ actual: 3 });
    expect(known.newest(stream)).toBe(3);
  });
});

describe('a scan back for the newest event', () => {
  it('that takes too long is cancelled, and nothing waits for it any more', async () => {
    const { reads, noted, client } = callsOver({}, { headScan: 50, look: 10 });
    expect(await reads.newest('test.')).toBeUndefined();
    expect([noted.cancelled, client.calls.size, noted.clients]).toEqual([1, 0, 1]);
  });
});
