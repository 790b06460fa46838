import type { Database as Connection } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position, ReadAllOptions, RecordedEvent } from '../../port.js';
import { toPosition } from '../../positions.js';
import { busyMillisecondsDefault, readBusyMilliseconds } from './limits.js';
import { LogReader } from './log-reader.js';
import { openForReading, openForWriting, schemaVersion } from './schema.js';

/** Rows of one read of the log that is copied, so that no reader keeps its write-ahead log from starting over. */
const copiedAtOnce = 2_000;

/** What a log file holds. */
export interface LogFileSummary {
  readonly events: number;
  /** Of the newest event; absent in an empty log. */
  readonly last?: Position;
}

/** A log in a file that nobody writes. */
export interface LogFile {
  /** Looks at the whole file. @throws Error that says what is wrong with it */
  check(): LogFileSummary;
  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  close(): void;
}

type EventColumns = [number, number, number, string, string, string, string, number];

/**
 * Copies the log in `file` into the new file `to`, while it is written: everything up to the event that is the newest
 * when the copy begins. In pieces, for what stands in a log stays as it is.
 */
export const copyLogFile = async (file: string, to: string): Promise<void> => {
  if (!existsSync(file)) throw new Error(`there is no event log in ${file}`);
  if (existsSync(to)) throw new Error(`${to} is there already`);
  const source = openLog(file);
  const copy = openForWriting(to, busyMillisecondsDefault);
  try {
    // Synced once, at the end: until then the copy is worth nothing.
    copy.pragma('synchronous = OFF');
    await copyEvents(source, copy);
    await copyStreams(source, copy);
    copy.pragma('synchronous = FULL');
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
    source.close();
  }
};

/** @throws Error it is no event log, or one of another version */
const openLog = (file: string): Connection => {
  const database = openForReading(file, readBusyMilliseconds);
  const format = Number(database.pragma('user_version', { simple: true }));
  if (format === schemaVersion) return database;
  database.close();
  throw new Error(`${file} is no event log of format ${String(schemaVersion)} (it says ${String(format)})`);
};

const newestIn = (database: Connection): number =>
  Number(database.prepare('SELECT coalesce(max(position), 0) FROM events').pluck().get());

const copyEvents = async (source: Connection, copy: Connection): Promise<void> => {
  const columns = 'position, stream_id, revision, id, type, data, metadata, created';
  const page = source
    .prepare<[number, number], EventColumns>(
      `SELECT ${columns} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${String(copiedAtOnce)}`,
    )
    .raw();
  const insert = copy.prepare<EventColumns>(
    `INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAll = copy.transaction((rows: readonly EventColumns[]) => {
    for (const row of rows) insert.run(...row);
  });
  const end = newestIn(source);
  for (let after = 0; after < end;) {
    const rows = page.all(after, end);
    insertAll(rows);
    after = rows.at(-1)?.[0] ?? end;
    await nextTurn();
  }
};

/** The streams of the events that were copied, each as long as it is in the copy. */
const copyStreams = async (source: Connection, copy: Connection): Promise<void> => {
  const page = source
    .prepare<[number], [number, string]>(
      `SELECT stream_id, name FROM streams WHERE stream_id > ? ORDER BY stream_id LIMIT ${String(copiedAtOnce)}`,
    )
    .raw();
  const revision = copy
    .prepare<[number], number | null>('SELECT max(revision) FROM events WHERE stream_id = ?')
    .pluck();
  const insert = copy.prepare('INSERT INTO streams (stream_id, name, revision) VALUES (?, ?, ?)');
  const insertAll = copy.transaction((rows: readonly [number, string][]) => {
    for (const [id, name] of rows) {
      const newest = revision.get(id) ?? undefined;
      if (newest !== undefined) insert.run(id, name, newest);
    }
  });
  for (let after = 0, more = true; more;) {
    const rows = page.all(after);
    insertAll(rows);
    after = rows.at(-1)?.[0] ?? after;
    more = rows.length === copiedAtOnce;
    await nextTurn();
  }
};

/** A stream is dense from 0, and as long as its row says. */
const unsoundStream = `
SELECT name FROM streams LEFT JOIN (
  SELECT stream_id AS id, count(*) AS events, min(revision) AS first, max(revision) AS last FROM events GROUP BY stream_id
) ON id = stream_id
WHERE events IS NULL OR first <> 0 OR last <> events - 1 OR last <> revision LIMIT 1`;

const strayEvent = `
SELECT position FROM events WHERE stream_id NOT IN (SELECT stream_id FROM streams) LIMIT 1`;

const checked = (database: Connection, file: string): LogFileSummary => {
  const integrity = String(database.pragma('integrity_check(1)', { simple: true }));
  if (integrity !== 'ok') throw new Error(`${file} is damaged: ${integrity}`);
  const stream = database.prepare<[], string>(unsoundStream).pluck().get();
  if (stream !== undefined) throw new Error(`${file}: the stream ${stream} is not whole`);
  const position = database.prepare<[], number>(strayEvent).pluck().get();
  if (position !== undefined)
    throw new Error(`${file}: the event at ${toPosition(position)} belongs to no stream`);
  const events = Number(database.prepare('SELECT count(*) FROM events').pluck().get());
  return { events, ...(events === 0 ? {} : { last: toPosition(newestIn(database)) }) };
};

/** Opens a log file that no ledger has open; it is only read. */
export const openLogFile = (file: string): LogFile => {
  const database = openLog(file);
  const reader = new LogReader(database, () => newestIn(database));
  return {
    check: () => checked(database, file),
    readAll: (options) => reader.readAll(options),
    close: () => reader.close(),
  };
};
