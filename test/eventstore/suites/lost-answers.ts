import { OutcomeUnknownError, WrongExpectedRevisionError } from '#event-store';
import type { EventStore, NewEvent } from '#event-store';
import type { AnswerInstead, EmulatorFaults, EmulatorOptions } from '#testing';
import { event, idsOf, someEvents } from '../../../libs/event-store/src/contract/support.contract.js';
import { countedMetrics, type Counted } from '../support/counted-metrics.js';
import { ServerUnderTest, type Client } from '../support/server-under-test.js';
import { shortTimings } from '../support/short-timings.js';
import { untilTaken, whenever } from '../support/waits.js';

/** What an append does when its answer is lost, late, doubled or another one, through one client of the emulator. */
export const lostAnswerSuite = (client: Client, options: EmulatorOptions = {}): void => {
  let server: ServerUnderTest;
  let faults: EmulatorFaults;
  let store: EventStore;
  let stream: string;
  let count: Counted;

  const openStore = (): Promise<EventStore> => {
    const counted = countedMetrics();
    count = counted.count;
    return server.open({ timings: shortTimings, metrics: counted.metrics });
  };
  const stored = async (): Promise<string[]> => idsOf(await store.readStream(stream, { limit: 1_000 }));

  beforeAll(async () => {
    server = await ServerUnderTest.startEmulator(client, options);
    ({ faults } = server.emulator);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    store = await openStore();
    stream = `${server.freshRoot()}task-1`;
  });
  afterEach(async () => {
    faults.reset();
    await store.close();
  });

  describe(`C36 an append whose answer is lost, through ${client}`, () => {
    it.each([
      ['the first one of a task', 0, 1],
      ['one of two events', 0, 2],
      ['a status', 4, 1],
      ['a batch of a cascade', 1, 256],
    ])('%s succeeds and is stored once', async (_, before, size) => {
      const earlier = someEvents(before);
      if (before > 0) await store.append(stream, earlier, 'none');
      const events = someEvents(size);
      faults.swallowReplies();
      const result = await store.append(stream, events, before === 0 ? 'none' : before - 1);
      expect(result.revision).toBe(before + size - 1);
      expect(await stored()).toEqual(idsOf([...earlier, ...events]));
      expect(count.retried).toBeGreaterThan(0);
    });

    it('is told the truth when somebody else has written behind it meanwhile', async () => {
      const other = await server.open({ timings: shortTimings });
      const first = event();
      faults.swallowReplies();
      const appended = store.append(stream, [first], 'none');
      const behind = event();
      await appendWhenThere(other, behind);
      expect(await appended).toMatchObject({ revision: 0 });
      expect(await stored()).toEqual(idsOf([first, behind]));
      await other.close();
    });

    it('with a revision at which somebody else stands it is refused, and not stored', async () => {
      const [theirs, ours] = someEvents(2) as [NewEvent, NewEvent];
      await store.append(stream, [theirs], 'none');
      faults.swallowReplies();
      await expect(store.append(stream, [ours], 'none')).rejects.toThrow(WrongExpectedRevisionError);
      expect(await stored()).toEqual([theirs.id]);
    });

    it('never is written twice by itself where nothing protects it: its outcome is unknown', async () => {
      const one = event();
      faults.swallowReplies();
      await expect(store.append(stream, [one], 'any')).rejects.toThrow(OutcomeUnknownError);
      expect(await stored()).toEqual([one.id]);
    });

    it('succeeds when many are under way and every tenth loses its answer', async () => {
      for (let after = 0; after < 20; after++) faults.swallowReplies({ after: 9 });
      const events = someEvents(200);
      const results = await Promise.all(
        events.map((one, index) => store.append(`${stream}-${String(index)}`, [one], 'none')),
      );
      expect(results.map(({ revision }) => revision)).toEqual(events.map(() => 0));
    });

    const appendWhenThere = async (other: EventStore, one: NewEvent): Promise<void> => {
      for (;;) {
        try {
          await other.append(stream, [one], 0);
          return;
        } catch (error) {
          if (!(error instanceof WrongExpectedRevisionError)) throw error;
        }
      }
    };
  });

  describe(`an append through ${client}`, () => {
    it('outlives a second answer, and so does the process', async () => {
      faults.replyTwice({ count: 3 });
      const events = someEvents(30);
      const results = await Promise.allSettled(
        events.map((one, index) => store.append(`${stream}-${String(index)}`, [one], 'none')),
      );
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
      // Only one of the clients fails over it, and on the classic path none is sent.
      if (client === 'db-client' && options.batchAppend !== false)
        expect(count.clientFault).toBeGreaterThan(0);
      expect(await store.append(stream, [event()], 'none')).toMatchObject({ revision: 0 });
    });

    it('is not disturbed by an answer that comes after its time', async () => {
      const late = event();
      faults.slowDown(700);
      const appended = store.append(stream, [late], 'none');
      await whenever(() => count.retried > 0);
      faults.slowDown(0);
      expect(await appended).toMatchObject({ revision: 0 });
      const later = someEvents(20);
      for (const [index, one] of later.entries()) await store.append(stream, [one], index);
      expect(await stored()).toEqual(idsOf([late, ...later]));
    });

    it('succeeds when connections are cut under many of them', async () => {
      const events = someEvents(100);
      const appended = events.map((one, index) =>
        untilTaken(() => store.append(`${stream}-${String(index)}`, [one], 'none')),
      );
      faults.dropConnections();
      await Promise.race(appended);
      faults.dropConnections();
      const results = await Promise.all(appended);
      expect(results.map(({ revision }) => revision)).toEqual(events.map(() => 0));
    });

    it.each<AnswerInstead>(['not-leader', 'not-ready', 'unavailable', 'timeout'])(
      'is tried again when the server answers %s',
      async (answer) => {
        faults.answer(answer, { calls: 3, of: ['append'] });
        const one = event();
        expect(await untilTaken(() => store.append(stream, [one], 'none'))).toMatchObject({ revision: 0 });
        expect(await stored()).toEqual([one.id]);
      },
    );

    it('leaves a server that hangs, with a fresh client, and goes on when it is well', async () => {
      await store.append(stream, [event()], 'none');
      faults.hang();
      const one = event();
      const appended = untilTaken(() => store.append(stream, [one], 0));
      await whenever(() => count.clientLeft > 0);
      faults.resume();
      expect(await appended).toMatchObject({ revision: 1 });
      expect(await stored()).toHaveLength(2);
    });

    it('fails soon while the server is away, and says so', async () => {
      await store.close();
      store = await server.open({ timings: { ...shortTimings, call: 600 } });
      await faults.goAway();
      const unavailable = { code: 'store-unavailable' };
      await expect(store.append(stream, [event()], 'none')).rejects.toMatchObject(unavailable);
      expect(store.health()).toMatchObject({ writable: false });
      const away = { ...unavailable, message: expect.stringContaining('away') as string };
      await expect(store.append(stream, [event()], 'none')).rejects.toMatchObject(away);
      await faults.comeBack();
      await untilTaken(() => store.append(stream, [event()], 'none'));
      expect(store.health()).toEqual({ writable: true });
    });
  });

  describe(`C37 two writers through ${client}`, () => {
    it('never both win a revision, and a subscriber has every event that was acknowledged, once', async () => {
      const other = await server.open({ timings: shortTimings });
      faults.swallowReplies({ count: 5, after: 20 });
      const acknowledged = await Promise.all([
        writeInCompetition(store, stream, 60),
        writeInCompetition(other, stream, 60),
      ]);
      const everything = await stored();
      expect(everything).toHaveLength(120);
      expect(new Set(everything)).toEqual(new Set(acknowledged.flat()));
      const seen: string[] = [];
      for await (const message of other.subscribe({ from: 'start', prefix: stream })) {
        if (message.kind === 'events') seen.push(...idsOf(message.events));
        if (seen.length >= 120) break;
      }
      expect(seen).toEqual(everything);
      await other.close();
    });
  });
};

/** Events one by one at the end of a stream that somebody else writes to; answers their ids. */
const writeInCompetition = async (store: EventStore, stream: string, events: number): Promise<string[]> => {
  const written: string[] = [];
  let last = -1;
  while (written.length < events) {
    const one = event();
    try {
      last = (await store.append(stream, [one], last < 0 ? 'none' : last)).revision;
      written.push(one.id);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      last = error.actual === 'none' ? -1 : error.actual;
    }
  }
  return written;
};
