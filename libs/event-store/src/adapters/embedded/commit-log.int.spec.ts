import type { Database as Connection } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { someEvents } from '../../contract/support.contract.js';
import { CommitLog } from './commit-log.js';
import type { AppendRequest } from './messages.js';
import { logFile, openForWriting } from './schema.js';

let folder: string;
let database: Connection;
let log: CommitLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  database = openForWriting(logFile(folder), 0);
  log = new CommitLog(database);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const append = (stream: string, expected: AppendRequest['expected'], count = 1): AppendRequest => ({
  stream,
  expected,
  events: someEvents(count),
});
const stored = (): unknown[] =>
  database
    .prepare(
      'SELECT position, name, e.revision FROM events e JOIN streams USING (stream_id) ORDER BY position',
    )
    .raw()
    .all();

describe('a transaction of many appends', () => {
  it('lets a later append stand on an earlier one of the same transaction', () => {
    const outcomes = log.commit(
      [append('a', 'none', 2), append('a', 1), append('a', 1), append('b', 'any')],
      0,
    );
    expect(outcomes).toEqual([
      { kind: 'written', revision: 1, position: 2 },
      { kind: 'written', revision: 2, position: 3 },
      { kind: 'conflict', actual: 2 },
      { kind: 'written', revision: 0, position: 4 },
    ]);
  });

  it('C37 whose one append the file refuses keeps the others, and leaves nothing of it', () => {
    log.commit([append('a', 'none'), append('b', 'none')], 0);
    // A damaged file: the stream says 0, its events go on to 1.
    database.exec(
      "INSERT INTO events SELECT 3, stream_id, 1, 'x', type, data, metadata, 0 FROM events WHERE position = 1",
    );
    const outcomes = log.commit([append('b', 0), append('a', 0, 2), append('c', 'none', 2)], 0);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['written', 'refused', 'written']);
    expect(stored().slice(3)).toEqual([
      [4, 'b', 1],
      [5, 'c', 0],
      [6, 'c', 1],
    ]);
    expect(log.trouble).toBeNull();
  });

  it('C47 that fails as a whole leaves nothing of any, and the next one goes on from there', () => {
    log.commit([append('a', 'none')], 0);
    database.pragma('max_page_count = 1');
    const large = { ...append('b', 'none'), events: someEvents(1_000) };
    const outcomes = log.commit([append('a', 0), large, append('c', 'none')], 0);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused']);
    expect(stored()).toEqual([[1, 'a', 0]]);
    expect(log.trouble).toContain('SQLITE_FULL');
    database.pragma('max_page_count = 100000');
    expect(log.commit([append('a', 0), large], 0)).toMatchObject([
      { kind: 'written', revision: 1, position: 2 },
      { kind: 'written', revision: 999, position: 1_002 },
    ]);
    expect(log.trouble).toBeNull();
  });

  it('C47 a probe tells when it can write again, and leaves nothing', () => {
    database.pragma('max_page_count = 1');
    expect(log.probe()).toContain('SQLITE_FULL');
    database.pragma('max_page_count = 100000');
    expect(log.probe()).toBeNull();
    expect(database.prepare('SELECT count(*) FROM probe').pluck().get()).toBe(0);
  });
});

describe('a log opened again', () => {
  it('goes on from its newest event', () => {
    log.commit([append('a', 'none', 3)], 0);
    const again = new CommitLog(database);
    expect(again.newest).toBe(3);
    expect(again.commit([append('a', 2)], 0)).toEqual([{ kind: 'written', revision: 3, position: 4 }]);
  });

  it('of a newer format is refused', () => {
    database.pragma('user_version = 99');
    expect(() => openForWriting(logFile(folder), 0)).toThrow('format 99');
  });
});
