import { LogChangedError, type EventStore } from '#event-store';
import type { SubscriptionEnd } from '#testing';
import { idsOf, someEvents } from '../../../libs/event-store/src/contract/support.contract.js';
import { catchUpsMax } from '../../../libs/event-store/src/adapters/eventstoredb/subscription/timings.js';
import { Following } from '../support/following.js';
import { ServerUnderTest, type Client } from '../support/server-under-test.js';
import { shortTimings } from '../support/short-timings.js';
import { untilTaken, whenever } from '../support/waits.js';
import { countedMetrics, type Counted } from '../support/counted-metrics.js';

/** What a subscription does when it is lost, through one client of the emulator. */
export const lostSubscriptionSuite = (client: Client): void => {
  let server: ServerUnderTest;
  let store: EventStore;
  let stream: string;
  let prefix: string;
  let count: Counted;
  const written: string[] = [];

  const openStore = async (): Promise<EventStore> => {
    const counted = countedMetrics();
    count = counted.count;
    return server.open({ timings: shortTimings, metrics: counted.metrics });
  };
  const write = async (events: number): Promise<void> => {
    const batch = someEvents(events);
    await store.append(stream, batch, written.length === 0 ? 'none' : written.length - 1);
    written.push(...idsOf(batch));
  };
  const follow = (from = 'start'): Following => new Following(store, { from, prefix });
  /** It has brought everything, once and in order. */
  const bringsAll = async (following: Following): Promise<void> => {
    await following.has(written.length);
    expect(following.ids).toEqual(written);
  };

  beforeAll(async () => {
    server = await ServerUnderTest.startEmulator(client);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    store = await openStore();
    prefix = server.freshRoot();
    stream = `${prefix}task-1`;
    written.length = 0;
  });
  afterEach(async () => {
    server.emulator.faults.reset();
    await store.close();
  });

  describe(`a subscription through ${client}`, () => {
    it.each<SubscriptionEnd>(['shut-down', 'unavailable', 'too-slow'])(
      'goes on after the last event when the server ends it: %s',
      async (end) => {
        await write(3);
        const following = follow();
        await following.live();
        for (let time = 0; time < 3; time++) {
          server.emulator.faults.dropSubscriptions(end);
          await write(2);
          await bringsAll(following);
        }
        expect(count.resubscribed).toBeGreaterThan(0);
        await following.leave();
      },
    );

    it('goes on when its connection is cut, while it catches up too', async () => {
      await write(500);
      const following = follow();
      await following.has(1);
      server.emulator.faults.dropConnections();
      await bringsAll(following);
      server.emulator.faults.dropConnections();
      await write(1);
      await bringsAll(following);
      await following.leave();
    });

    it('C38 goes on after each of three times the server was away, and health says that it is behind', async () => {
      const following = follow();
      await following.live();
      for (let time = 0; time < 3; time++) {
        await server.emulator.faults.goAway();
        await whenever(() => store.health().behind !== undefined);
        await server.emulator.faults.comeBack();
        await untilTaken(() => write(1));
        await bringsAll(following);
        await whenever(() => store.health().behind === undefined);
      }
      expect(store.health()).toEqual({ writable: true });
      await following.leave();
    });

    it('waits for a server that is away when it begins', async () => {
      await write(2);
      await server.emulator.faults.goAway();
      const following = follow();
      await whenever(() => store.health().behind !== undefined);
      await server.emulator.faults.comeBack();
      await bringsAll(following);
      await following.leave();
    });

    it('that is silent is noticed, and goes on with a fresh client', async () => {
      const following = follow();
      await following.live();
      server.emulator.faults.silenceSubscriptions();
      await write(2);
      await whenever(() => store.health().behind !== undefined);
      await bringsAll(following);
      expect(count.clientLeft).toBe(1);
      await whenever(() => store.health().behind === undefined);
      await following.leave();
    });

    it('that is silent from its first moment on is noticed', async () => {
      await write(2);
      server.emulator.faults.silenceSubscriptions({ newOnes: true });
      const following = follow();
      await whenever(() => count.clientLeft > 0);
      server.emulator.faults.resumeSubscriptions();
      await bringsAll(following);
      await following.leave();
    });

    it('that was late is in order again when it brings what was missing', async () => {
      await store.close();
      const subscription = { ...shortTimings.subscription, undelivered: 60_000 };
      store = await server.open({ timings: { ...shortTimings, subscription } });
      const following = follow();
      await following.live();
      server.emulator.faults.silenceSubscriptions();
      await write(1);
      await whenever(() => store.health().behind !== undefined);
      server.emulator.faults.resumeSubscriptions();
      await bringsAll(following);
      await whenever(() => store.health().behind === undefined);
      await following.leave();
    });

    it('that joins others while the server is away waits for it, like them', async () => {
      await store.close();
      store = await server.open({ timings: { ...shortTimings, call: 300, away: 1 } });
      const first = follow();
      await first.live();
      const foreign = await store.append(`${server.freshRoot()}foreign`, someEvents(1), 'none');
      await server.emulator.faults.goAway();
      const read = (): Promise<unknown> => store.readStream(stream, { limit: 1 });
      await expect(read()).rejects.toMatchObject({ code: 'store-unavailable' });
      const joined = follow(foreign.position);
      // By now the log has been asked for that position, in vain.
      await expect(read()).rejects.toMatchObject({ code: 'store-unavailable' });
      await server.emulator.faults.comeBack();
      await untilTaken(() => write(1));
      await bringsAll(joined);
      await Promise.all([first.leave(), joined.leave()]);
    });

    it('from the end can be left while the server is away', async () => {
      await server.emulator.faults.goAway();
      const following = follow('end');
      await following.leave();
      expect(following.ended).toBe('done');
      await server.emulator.faults.comeBack();
    });

    it('goes on though as many as may catch up at once do not come back for more', async () => {
      await store.close();
      const subscription = { ...shortTimings.subscription, idle: 50 };
      store = await server.open({ timings: { ...shortTimings, subscription } });
      await write(3);
      const stuck = Array.from({ length: catchUpsMax }, () =>
        store.subscribe({ from: 'start', prefix, batchSize: 1 })[Symbol.asyncIterator](),
      );
      await Promise.all(stuck.map((messages) => messages.next()));
      const following = follow();
      await bringsAll(following);
      // Who comes back goes on where he was.
      const [one] = stuck;
      const second = await one!.next();
      expect(second.value).toMatchObject({ events: [{ id: written[1] }] });
      await Promise.all([...stuck.map((messages) => messages.return?.()), following.leave()]);
    });

    it('is not taken for silent while foreign events are all that is written', async () => {
      const following = follow();
      await following.live();
      await store.append(`${server.freshRoot()}foreign`, someEvents(700), 'none');
      const reads = server.emulator.counts.read;
      await whenever(() => server.emulator.counts.read > reads + 3);
      expect(count).toMatchObject({ clientLeft: 0, resubscribed: 0 });
      await following.leave();
    });

    it('goes on when the server hangs and comes to itself', async () => {
      const following = follow();
      await following.live();
      server.emulator.faults.hang();
      await whenever(() => count.clientLeft > 0);
      server.emulator.faults.resume();
      await untilTaken(() => write(2));
      await bringsAll(following);
      await following.leave();
    });

    it('of many takes one of the server, however many they are', async () => {
      await write(3);
      const all = Array.from({ length: 50 }, () => follow());
      await Promise.all(all.map((following) => following.live()));
      await whenever(() => server.emulator.openSubscriptions <= 2);
      await write(1);
      await Promise.all(all.map(bringsAll));
      await Promise.all(all.map((following) => following.leave()));
      await whenever(() => server.emulator.openSubscriptions === 0);
    });

    it('leaves out what is the server’s own when it has no prefix', async () => {
      await write(2);
      const everything = new Following(store, { from: 'start', prefix: '' });
      await everything.live();
      expect(everything.events.filter((event) => event.stream.startsWith('$'))).toEqual([]);
      expect(everything.ids).toEqual(expect.arrayContaining(written));
      await everything.leave();
    });

    it('believes a log that answers from its past for a moment', async () => {
      await write(3);
      const following = follow();
      await following.live();
      server.emulator.faults.readOldLog(Number(following.events[1]!.position));
      server.emulator.faults.dropSubscriptions();
      await whenever(() => count.resubscribed > 0);
      const { read } = server.emulator.counts;
      await whenever(() => server.emulator.counts.read > read);
      server.emulator.faults.readNewLog();
      await write(1);
      await bringsAll(following);
      await following.leave();
    });
  });

  describe(`another log under a subscription through ${client}`, () => {
    it.each([
      ['a position at which it has nothing', '00000000000000000007'],
      ['a position that it has not reached', '00000000900000000000'],
    ])('ends one that begins at %s with an error', async (_, from) => {
      await write(2);
      const following = follow(from);
      await following.over;
      expect(following.ended).toBeInstanceOf(LogChangedError);
    });

    it('ends one that was running with an error, and health goes on saying so', async () => {
      await write(3);
      const following = follow();
      await following.live();
      const { port } = server.emulator;
      await server.stop();
      server = await ServerUnderTest.startEmulator(client, { port });
      await following.over;
      expect(following.ended).toBeInstanceOf(LogChangedError);
      expect(store.health().behind).toContain('another');
    });
  });
};
