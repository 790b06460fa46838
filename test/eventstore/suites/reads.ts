import { openEventStoreDb, type EventStore, type Position } from '#event-store';
import type { EmulatorFaults, EmulatorOptions } from '#testing';
import { event, idsOf, someEvents } from '../../../libs/event-store/src/contract/support.contract.js';
import { countedMetrics, type Counted } from '../support/counted-metrics.js';
import { ServerUnderTest, type Client } from '../support/server-under-test.js';
import { shortTimings } from '../support/short-timings.js';
import { whenever } from '../support/waits.js';

/** What reads do that one healthy server alone would not ask of them, through one client of the emulator. */
export const readSuite = (client: Client, options: EmulatorOptions = {}): void => {
  let server: ServerUnderTest;
  let faults: EmulatorFaults;
  let store: EventStore;
  let root: string;
  let stream: string;
  let count: Counted;

  beforeAll(async () => {
    server = await ServerUnderTest.startEmulator(client, options);
    ({ faults } = server.emulator);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const counted = countedMetrics();
    count = counted.count;
    store = await server.open({ timings: shortTimings, metrics: counted.metrics });
    root = server.freshRoot();
    stream = `${root}task-1`;
  });
  afterEach(async () => {
    faults.reset();
    await store.close();
  });

  describe(`an answer of a leader that was deposed, through ${client}`, () => {
    it.each(['forwards', 'backwards'] as const)(
      '%s is thrown away, and asked for again on a fresh client',
      async (direction) => {
        const written = await writeThree();
        faults.readOldLog(Number(written.positions[1]));
        const answer = store.readStream(stream, { direction, limit: 10 });
        await whenever(() => count.clientLeft > 0);
        faults.readNewLog();
        expect(new Set(idsOf(await answer))).toEqual(new Set(written.ids));
        expect(count.staleAnswer).toBeGreaterThan(0);
      },
    );

    it('about the whole log is thrown away too, at a position that this process knows', async () => {
      await store.head(root);
      const written = await writeThree();
      faults.readOldLog(Number(written.positions[2]));
      const answer = store.readAll({ from: written.positions[2]!, limit: 1, prefix: root });
      await whenever(() => count.staleAnswer > 0);
      faults.readNewLog();
      expect(idsOf(await answer)).toEqual(written.ids.slice(2));
    });

    it('is believed at last when it does not change, for then the log ends there', async () => {
      const written = await writeThree();
      faults.readOldLog(Number(written.positions[1]));
      expect(idsOf(await store.readStream(stream, { limit: 10 }))).toEqual(written.ids.slice(0, 1));
      const asked = count.staleAnswer;
      expect(await store.readStream(stream, { limit: 10 })).toHaveLength(1);
      expect(count.staleAnswer).toBe(asked);
    });

    it('is an answer like others where it holds all that this process knows', async () => {
      const written = await writeThree();
      const other = await server.open({ timings: shortTimings });
      await other.append(stream, [event()], 2);
      faults.readOldLog(Number(written.positions[2]) + 1);
      expect(await store.readStream(stream, { limit: 10 })).toHaveLength(3);
      expect([count.staleAnswer, count.clientLeft]).toEqual([0, 0]);
      await other.close();
    });

    it('does not mean an append that was acknowledged while the answer was under way', async () => {
      await writeThree();
      const answers = Array.from({ length: 30 }, async (_, index) => {
        const read = store.readStream(stream, { limit: 100 });
        await store.append(`${stream}-${String(index)}`, [event()], 'none');
        return read;
      });
      const writing = someEvents(30).map((one, index) => () => store.append(stream, [one], index + 2));
      for (const append of writing) await append();
      await Promise.all(answers);
      expect(count.staleAnswer).toBe(0);
    });

    const writeThree = async (): Promise<{ ids: string[]; positions: Position[] }> => {
      const events = someEvents(3);
      const positions: Position[] = [];
      for (const [index, one] of events.entries())
        positions.push((await store.append(stream, [one], index === 0 ? 'none' : index - 1)).position);
      return { ids: idsOf(events), positions };
    };
  });

  describe(`a read through ${client}`, () => {
    it('finds nothing at a position at which no event begins', async () => {
      const { position } = await store.append(stream, someEvents(2), 'none');
      const between = String(BigInt(position) - 1n).padStart(20, '0');
      expect(await store.readAll({ from: between, limit: 10, prefix: root })).toEqual([]);
      expect(await store.readAll({ from: between, limit: 10, prefix: root, direction: 'backwards' })).toEqual(
        [],
      );
      expect(await store.readAll({ from: position, limit: 10, prefix: root })).toHaveLength(1);
    });

    it('backwards from beyond the end begins at the end, as everywhere', async () => {
      const { position } = await store.append(stream, someEvents(2), 'none');
      const beyond = String(BigInt(position) + 1_000_000n).padStart(20, '0');
      const options = { from: beyond, direction: 'backwards', limit: 10, prefix: root } as const;
      expect(await store.readAll(options)).toHaveLength(2);
    });

    it('leaves out the streams of the server itself', async () => {
      await store.append(stream, [event()], 'none');
      server.emulator.writeSystemEvent();
      const [newest] = await store.readAll({ direction: 'backwards', limit: 1, prefix: '' });
      expect(newest?.stream).toBe(stream);
    });

    it('is asked again when the server was not ready or not the leader', async () => {
      await store.append(stream, [event()], 'none');
      for (const answer of ['not-leader', 'unavailable'] as const) {
        faults.answer(answer, { calls: 2, of: ['read'] });
        expect(await store.readStream(stream, { limit: 10 })).toHaveLength(1);
      }
    });

    it('is given up in time while the server hangs, and says so', async () => {
      await store.close();
      store = await server.open({ timings: { ...shortTimings, call: 500 } });
      faults.hang();
      await expect(store.readStream(stream, { limit: 1 })).rejects.toMatchObject({
        code: 'store-unavailable',
      });
    });
  });

  describe(`the head through ${client}`, () => {
    it('of a store just opened is found behind events of the server and of others', async () => {
      const { position } = await store.append(stream, [event()], 'none');
      await store.append(`${server.freshRoot()}task-1`, someEvents(50), 'none');
      server.emulator.writeSystemEvent();
      const later = await server.open({ timings: shortTimings });
      expect(await later.head(root)).toBe(position);
      await later.close();
    });

    it('is known without a call once it is known', async () => {
      await store.head(root);
      const { position } = await store.append(stream, [event()], 'none');
      const reads = server.emulator.counts.read;
      expect(await store.head(root)).toBe(position);
      expect(server.emulator.counts.read).toBe(reads);
    });
  });

  describe(`calls through ${client}`, () => {
    it('an append is one call, and no read', async () => {
      await store.append(stream, [event()], 'none');
      const { append, read } = server.emulator.counts;
      for (let revision = 0; revision < 10; revision++)
        await store.append(stream, someEvents(2), 2 * revision);
      const after = server.emulator.counts;
      expect([after.append - append, after.read - read]).toEqual([10, 0]);
    });

    it('a clock that is behind the database by more than the deadline is named', async () => {
      faults.setClockAhead(600_000);
      if (options.batchAppend === false) return;
      await expect(store.append(stream, [event()], 'none')).rejects.toThrow(/clock is behind the database/);
      faults.setClockAhead(0);
      expect(await store.append(stream, [event()], 'none')).toMatchObject({ revision: 0 });
    });
  });

  describe(`the start through ${client}`, () => {
    it('is ended where a password is asked for and none is given', async () => {
      const guarded = await ServerUnderTest.startEmulator(client, {
        credentials: [{ username: 'admin', password: 'right' }],
      });
      await expect(guarded.open({ timings: shortTimings })).rejects.toMatchObject({
        code: 'event-store-setting',
        message: expect.stringContaining('asks for user and password') as string,
      });
      await guarded.stop();
    });

    it('is not ended by a database that is not there yet', async () => {
      const gone = await ServerUnderTest.startEmulator(client);
      const { url } = gone;
      await gone.stop();
      const opening = openEventStoreDb({ url, namespace: 'test', timings: shortTimings });
      await expect(opening).rejects.toMatchObject({ code: 'store-unavailable' });
    });

    it('is ended by a second client package in one process', async () => {
      const other = client === 'db-client' ? 'kurrentdb' : 'esdb';
      const url = server.url.replace(/^\w+/, other);
      await expect(openEventStoreDb({ url, namespace: 'test' })).rejects.toThrow(
        /this process uses .*-client already, and cannot use .*-client beside it/,
      );
    });
  });
};
