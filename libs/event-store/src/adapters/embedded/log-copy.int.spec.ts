import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { wholeLog } from '../../contract/support.contract.js';
import type { NewEvent } from '../../port.js';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.js';
import { copyLogFile, openLogFile } from './log-copy.js';

const event = (): NewEvent => ({ id: randomUUID(), type: 'Happened', data: '{"ö": 1}', metadata: '{}' });

describe('a copy of the log', () => {
  let folder: string;
  let source: string;
  let copy: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-copy-'));
    source = join(folder, 'source');
    copy = join(folder, 'events.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const withStore = async <Value>(
    at: string,
    work: (store: EmbeddedStore) => Promise<Value>,
  ): Promise<Value> => {
    const store = await openEmbeddedStore({ folder: at });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const file = (): string => join(source, 'events.db');

  /** Appends to 10 streams, one event at a time, as long as it is not told to stop. */
  const appending = async (store: EmbeddedStore, goesOn: () => boolean): Promise<void> => {
    const lane = async (_: unknown, index: number): Promise<void> => {
      for (let revision = 0; goesOn(); revision += 1)
        await store.append(`test.${String(index)}`, [event()], revision === 0 ? 'none' : revision - 1);
    };
    await Promise.all(Array.from({ length: 10 }, lane));
  };

  it('taken while the log is written is a beginning of it, whole in every stream, and takes appends', async () => {
    await withStore(source, async (store) => {
      const large = Array.from({ length: 999 }, event);
      for (let count = 0; count < 5; count += 1)
        await store.append(`test.large-${String(count)}`, large.map(event), 'none');
      let isCopying = true;
      const writing = appending(store, () => isCopying);
      await copyLogFile(file(), copy);
      isCopying = false;
      await writing;
      const log = openLogFile(copy);
      const { events, last } = log.check();
      log.close();
      expect(events).toBeGreaterThanOrEqual(5 * 999);
      const all = await wholeLog(store, 'test.');
      expect(all.length).toBeGreaterThan(events);
      const restored = join(folder, 'restored');
      await withStore(restored, () => Promise.resolve());
      rmSync(join(restored, 'events.db'));
      cpSync(copy, join(restored, 'events.db'));
      await withStore(restored, async (other) => {
        const copied = await wholeLog(other, 'test.');
        expect(copied).toEqual(all.slice(0, events));
        expect(copied.at(-1)?.position).toBe(last);
        const newest = copied.at(-1);
        await other.append(newest?.stream ?? '', [event()], newest?.revision ?? 'none');
      });
    });
  });

  it('leaves out what comes after the event that was the newest, its streams too', async () => {
    await withStore(source, async (store) => {
      await store.append('test.a', [event(), event()], 'none');
      const copying = copyLogFile(file(), copy);
      await store.append('test.b', [event()], 'none');
      await store.append('test.a', [event()], 1);
      await copying;
    });
    const log = openLogFile(copy);
    expect(log.check()).toEqual({ events: 2, last: '2'.padStart(20, '0') });
    expect((await log.readAll({ prefix: 'test.', limit: 10 })).map(({ stream }) => stream)).toEqual([
      'test.a',
      'test.a',
    ]);
    log.close();
  });

  it('C48 holds no reader between its pieces: the write-ahead log can be emptied meanwhile', async () => {
    await withStore(source, async (store) => {
      for (let count = 0; count < 5; count += 1)
        await store.append(`test.${String(count)}`, Array.from({ length: 999 }, event), 'none');
      let isCopying = true;
      const copying = copyLogFile(file(), copy).finally(() => {
        isCopying = false;
      });
      const other = new Database(file());
      const busy: unknown[] = [];
      while (isCopying) {
        const [answer] = other.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
        busy.push(answer?.busy);
        await nextTurn();
      }
      other.close();
      await copying;
      expect(new Set(busy)).toEqual(new Set([0]));
      expect(busy.length).toBeGreaterThan(2);
    });
  });

  it('is one file, and never written over another', async () => {
    await withStore(source, (store) => store.append('test.a', [event()], 'none'));
    await copyLogFile(file(), copy);
    expect(existsSync(`${copy}-wal`)).toBe(false);
    await expect(copyLogFile(file(), copy)).rejects.toThrow('is there already');
    await expect(copyLogFile(join(folder, 'none.db'), join(folder, 'x.db'))).rejects.toThrow(
      'there is no event log',
    );
  });

  it('of what is no event log is refused', async () => {
    writeFileSync(join(folder, 'other.db'), '');
    await expect(copyLogFile(join(folder, 'other.db'), copy)).rejects.toThrow('is no event log');
  });

  it.each([
    ['an event is missing', 'DELETE FROM events WHERE revision = 1'],
    ['the first events are missing', 'DELETE FROM events WHERE revision < 2'],
    ['a stream is missing', 'DELETE FROM streams'],
    ['a stream says it is longer', 'UPDATE streams SET revision = 7'],
  ])('is found out when %s', async (_, damage) => {
    await withStore(source, (store) => store.append('test.a', [event(), event(), event()], 'none'));
    await copyLogFile(file(), copy);
    const database = new Database(copy);
    database.exec(damage);
    database.close();
    const log = openLogFile(copy);
    expect(() => log.check()).toThrow(/is not whole|belongs to no stream/);
    log.close();
  });

  it('is found out when its bytes are damaged', async () => {
    await withStore(source, async (store) => {
      for (let count = 0; count < 200; count += 1)
        await store.append(`test.${String(count)}`, [event()], 'none');
    });
    await copyLogFile(file(), copy);
    const bytes = readFileSync(copy);
    bytes.fill(0xab, bytes.length / 2, bytes.length / 2 + 4_096);
    writeFileSync(copy, bytes);
    expect(() => {
      const log = openLogFile(copy);
      try {
        log.check();
      } finally {
        log.close();
      }
    }).toThrow();
  });
});
