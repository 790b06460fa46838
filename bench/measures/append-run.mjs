/**
 * One run of the append measure: `node append-run.mjs <store|raw> <folder> <seconds>`; prints events a second.
 *
 * `store`: 128 callers, each appends one event to a stream of its own, waits for the answer and comes back in a later
 * turn of the loop, as a request would. `raw`: the same rows in one transaction of 128 after the other, no check of
 * revisions, no other thread, nobody to answer. Both with the same tables, settings (WAL, FULL) and events.
 */
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStore } from '../lib/store.mjs';
import { taskSubmitted } from './bodies.mjs';

const callers = 128;
const prepared = 40_000;
const warmUpMs = 500;

/** Made beforehand, so that making them is not measured. */
const events = Array.from({ length: prepared }, taskSubmitted);
let made = 0;
const nextEvent = () => /** @type {typeof events[number]} */ (events[made % prepared]);
const nextStream = () => `ledger.task-${String(made++).padStart(36, '0')}`;

/** @param {string} folder @param {number} seconds */
async function measureStore(folder, seconds) {
  const store = await openStore(folder);
  let appended = 0;
  let until = Infinity;
  const caller = async () => {
    while (performance.now() < until) {
      const event = nextEvent();
      await store.append(nextStream(), [event], 'none');
      appended += 1;
      await nextTurn();
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  await new Promise((resolve) => setTimeout(resolve, warmUpMs));
  const startedAt = performance.now();
  const before = appended;
  until = startedAt + seconds * 1000;
  await all;
  const rate = (appended - before) / ((performance.now() - startedAt) / 1000);
  await store.close();
  return rate;
}

/** @param {string} folder @param {number} seconds */
async function measureRaw(folder, seconds) {
  await (await openStore(folder)).close();
  const database = new Database(join(folder, 'events.db'));
  database.pragma('synchronous = FULL');
  database.pragma('cache_size = -32768');
  database.pragma('wal_autocheckpoint = 8000');
  const insertStream = database.prepare('INSERT INTO streams (name, revision) VALUES (?, 0)');
  const insertEvent = database.prepare(
    'INSERT INTO events (stream_id, revision, id, type, data, metadata, created) VALUES (?, 0, ?, ?, ?, ?, ?)',
  );
  const writeBatch = database.transaction(() => {
    for (let i = 0; i < callers; i += 1) {
      const { id, type, data, metadata } = nextEvent();
      const { lastInsertRowid } = insertStream.run(nextStream());
      insertEvent.run(lastInsertRowid, id, type, data, metadata, Date.now());
    }
  });
  const warmUntil = performance.now() + warmUpMs;
  while (performance.now() < warmUntil) writeBatch();
  const startedAt = performance.now();
  let written = 0;
  for (; performance.now() < startedAt + seconds * 1000; written += callers) writeBatch();
  const rate = written / ((performance.now() - startedAt) / 1000);
  database.close();
  return rate;
}

const [side, folder = '', seconds = '2'] = process.argv.slice(2);
const measure = side === 'store' ? measureStore : measureRaw;
process.stdout.write(String(await measure(folder, Number(seconds))));
