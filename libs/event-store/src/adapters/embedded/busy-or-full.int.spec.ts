import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  event,
  follow,
  idsOf,
  messagesOf,
  someEvents,
  untilLive,
  wholeLog,
} from '../../contract/support.contract.js';
import type { NewEvent } from '../../port.js';
import type { EmbeddedStore, EmbeddedStoreOptions } from './embedded-store.js';
import { openEmbeddedStore } from './embedded-store.js';

let folder: string;
let store: EmbeddedStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const open = async (options: Omit<EmbeddedStoreOptions, 'folder'> = {}): Promise<void> => {
  store = await openEmbeddedStore({ folder, ...options });
};

/** The probe of a store in trouble runs by itself; its verdict is only to be looked at. */
const untilWritable = async (): Promise<void> => {
  while (!store.health().writable) await delay(20);
};

describe('C47 another connection has the write lock', () => {
  let other: Database.Database;
  const lock = (): void => {
    other = new Database(join(folder, 'events.db'));
    other.exec('BEGIN IMMEDIATE');
  };
  afterEach(() => other.close());

  it('for two seconds: 100 appends wait and succeed, reads go on meanwhile', async () => {
    await open();
    await store.append('test.before', someEvents(3), 'none');
    lock();
    const events = someEvents(100);
    let answered = 0;
    const appends = events.map(async (one, index) => {
      await store.append(`test.task-${String(index)}`, [one], 'none');
      answered += 1;
    });
    expect(await store.readStream('test.before', { limit: 10 })).toHaveLength(3);
    await delay(2_000); // The case's own two seconds.
    expect(await store.readStream('test.before', { limit: 10 })).toHaveLength(3);
    expect(answered).toBe(0);
    other.exec('COMMIT');
    await Promise.all(appends);
    const stored = await wholeLog(store, 'test.task-');
    expect(idsOf(stored).sort()).toEqual(idsOf(events).sort());
    expect(store.health()).toEqual({ writable: true });
  }, 30_000);

  it('for longer than an append waits: it is refused, nothing is written, and health turns when it is over', async () => {
    await open({ busyMilliseconds: 50 });
    lock();
    const refused = store.append('test.task', someEvents(2), 'none');
    await expect(refused).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(store.health()).toMatchObject({
      writable: false,
      reason: expect.stringContaining('locked') as string,
    });
    expect(await store.readStream('test.task', { limit: 10 })).toEqual([]);
    other.exec('COMMIT');
    await untilWritable();
    expect(await store.append('test.task', someEvents(2), 'none')).toMatchObject({ revision: 1 });
  });

  it('and writes: what the store remembered of its streams does not count any more', async () => {
    await open();
    await store.append('test.task', someEvents(1), 'none');
    lock();
    other.exec(`UPDATE streams SET revision = 1;
      INSERT INTO events SELECT 2, stream_id, 1, '${event().id}', type, data, metadata, created FROM events`);
    const refused = store.append('test.task', someEvents(1), 0);
    other.exec('COMMIT');
    await expect(refused).rejects.toMatchObject({ code: 'wrong-expected-revision', actual: 1 });
    await store.append('test.task', someEvents(1), 1);
    const events = await follow(store, { from: 'start', prefix: 'test.' }, (all) => all.length >= 3);
    expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
  });
});

describe('C47 the disk is full', () => {
  /** Appends of two events, many at a time, until one is refused. Says what was acknowledged and what was not. */
  const fill = async (): Promise<{ taken: NewEvent[]; refused: NewEvent[] }> => {
    const taken: NewEvent[] = [];
    const refused: NewEvent[] = [];
    for (let round = 0; refused.length === 0; round++) {
      const pairs = Array.from({ length: 50 }, () => [large(), large()]);
      const appends = pairs.map((pair, index) =>
        store.append(`test.${String(round)}-${String(index)}`, pair, 'none'),
      );
      for (const [index, result] of (await Promise.allSettled(appends)).entries()) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'store-unavailable' });
        (result.status === 'fulfilled' ? taken : refused).push(...pairs[index]!);
      }
    }
    return { taken, refused };
  };
  const large = (): NewEvent => ({ ...event(), data: JSON.stringify('x'.repeat(2_000)) });

  beforeEach(() => open({ fileBytesMax: 2_000_000 }));

  it('appends are refused and nothing of them is written; what was acknowledged is there', async () => {
    const { taken, refused } = await fill();
    const stored = new Set(idsOf(await wholeLog(store, 'test.')));
    expect(taken.filter(({ id }) => !stored.has(id))).toEqual([]);
    expect(refused.filter(({ id }) => stored.has(id))).toEqual([]);
    expect(store.health()).toMatchObject({
      writable: false,
      reason: expect.stringContaining('full') as string,
    });
  });

  it('reads and subscriptions go on', async () => {
    const messages = messagesOf(store, { from: 'start', prefix: 'test.' });
    await untilLive(messages);
    const { taken } = await fill();
    const stored = await wholeLog(store, 'test.');
    expect(idsOf(stored)).toHaveLength(taken.length);
    expect(await untilLive(messages)).not.toHaveLength(0);
    expect(await follow(store, { from: 'start', prefix: 'test.' }, (_, live) => live)).toEqual(stored);
    expect(await store.head('test.')).toBe(stored.at(-1)?.position);
    await messages.return?.();
  });

  it('with space again appends succeed and health turns by itself, without a restart', async () => {
    const { taken, refused } = await fill();
    store.limitFile(20_000_000);
    await untilWritable();
    await store.append('test.afterwards', refused, 'none');
    const stored = await wholeLog(store, 'test.');
    expect(idsOf(stored)).toHaveLength(taken.length + refused.length);
  });
});
