import type { Database as Connection } from 'better-sqlite3';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { checkpointPages, readerCacheKib, walBytesKept, writerCacheKib } from './limits.js';

export const schemaVersion = 1;

/** Streams have small integer keys, so that an event does not carry its stream's name in the row and in the index. */
const schema = `
CREATE TABLE streams (
  stream_id INTEGER PRIMARY KEY,
  name      TEXT    NOT NULL UNIQUE,
  revision  INTEGER NOT NULL
) STRICT;
CREATE TABLE events (
  position  INTEGER PRIMARY KEY,
  stream_id INTEGER NOT NULL,
  revision  INTEGER NOT NULL,
  id        TEXT    NOT NULL,
  type      TEXT    NOT NULL,
  data      TEXT    NOT NULL,
  metadata  TEXT    NOT NULL,
  created   INTEGER NOT NULL,
  UNIQUE (stream_id, revision)
) STRICT;
CREATE TABLE probe (filler BLOB NOT NULL) STRICT;
`;

export const logFile = (folder: string): string => join(folder, 'events.db');

/** The one connection that writes. Acknowledged means synced: FULL. */
export const openForWriting = (file: string, busyMilliseconds: number): Connection => {
  const database = new Database(file, { timeout: busyMilliseconds });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma(`cache_size = -${String(writerCacheKib)}`);
    database.pragma(`wal_autocheckpoint = ${String(checkpointPages)}`);
    database.pragma(`journal_size_limit = ${String(walBytesKept)}`);
    database.transaction(migrate).immediate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const migrate = (database: Connection): void => {
  const found = Number(database.pragma('user_version', { simple: true }));
  if (found > schemaVersion)
    throw new Error(
      `the event log has format ${String(found)}, this version reads up to ${String(schemaVersion)}`,
    );
  if (found === schemaVersion) return;
  database.exec(schema);
  database.pragma(`user_version = ${String(schemaVersion)}`);
};

/** For reads beside the writer, after it has opened the file. */
export const openForReading = (file: string, busyMilliseconds: number): Connection => {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: busyMilliseconds });
  database.pragma(`cache_size = -${String(readerCacheKib)}`);
  return database;
};
