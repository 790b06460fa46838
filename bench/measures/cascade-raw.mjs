/**
 * `node cascade-raw.mjs <events.db> <folder>`: inserts the rows that a cascade has written into a log of its own, with
 * the same tables and settings (WAL, FULL), in transactions of 256; prints milliseconds. No check of revisions, nothing
 * read, nobody to answer.
 */
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { openStore } from '../lib/store.mjs';

const batch = 256;
const [source = '', folder = ''] = process.argv.slice(2);

await (await openStore(folder)).close();
const log = new Database(source, { readonly: true });
/** @type {{ stream_id: number, revision: number, id: string, type: string, data: string, metadata: string, created: number }[]} */
const rows = /** @type {any} */ (
  log
    .prepare(
      `SELECT stream_id, revision, id, type, data, metadata, created FROM events
       WHERE type IN ('TaskCanceled', 'CancellationOpened', 'NodesSettled', 'CancellationSettled') ORDER BY position`,
    )
    .all()
);
const streams = log.prepare('SELECT stream_id, name, revision FROM streams').raw().all();
log.close();

const database = new Database(join(folder, 'events.db'));
database.pragma('synchronous = FULL');
database.pragma('cache_size = -32768');
database.pragma('wal_autocheckpoint = 8000');
database.exec('DELETE FROM events; DELETE FROM streams');
const insertStream = database.prepare('INSERT INTO streams (stream_id, name, revision) VALUES (?, ?, ?)');
database.transaction(() => {
  for (const stream of streams) insertStream.run(stream);
})();
const insertEvent = database.prepare(
  'INSERT INTO events (stream_id, revision, id, type, data, metadata, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
);
const moveStream = database.prepare('UPDATE streams SET revision = ? WHERE stream_id = ?');
const writeBatch = database.transaction((/** @type {typeof rows} */ some) => {
  for (const { stream_id, revision, id, type, data, metadata, created } of some) {
    insertEvent.run(stream_id, revision, id, type, data, metadata, created);
    moveStream.run(revision, stream_id);
  }
});
const begun = performance.now();
for (let from = 0; from < rows.length; from += batch) writeBatch(rows.slice(from, from + batch));
process.stdout.write(String(performance.now() - begun));
database.close();
