/**
 * The rebuild measure on a folder whose log is full: `node rebuild-run.mjs <folder> <rounds>`; prints events a second
 * of every round as JSON `{rebuild: [], scan: []}`.
 *
 * `rebuild`: what `POST /ledger/v1/views/tasks/rebuild` does: every view is filled anew beside the one that serves,
 * with its indexes, until it takes its place. `scan`: the log read in order with plain SQL, pages of 1,000 rows, and
 * `JSON.parse` of data and metadata of every event.
 */
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { built } from '../lib/built.mjs';
import { interleave } from '../lib/interleave.mjs';
import { timeOf } from '../lib/statistics.mjs';
import { openStore } from '../lib/store.mjs';

const namespace = 'ledger';
const pollMs = 20;
const pageRows = 1_000;

const [folder = '', rounds = '3'] = process.argv.slice(2);
const { openLog, positionsOf, systemClock, systemIds } = await built('application');
const { openViews } = await built('views');
const store = await openStore(folder);
const logId = await openLog(store, namespace, systemIds, systemClock);
const views = await openViews({
  file: join(folder, 'views.db'),
  store,
  namespace,
  logId,
  positions: positionsOf(logId),
  clock: systemClock,
});

/** @param {() => boolean | Promise<boolean>} reached */
async function until(reached) {
  while (!(await reached())) await sleep(pollMs);
}

async function rebuildOnce() {
  const [{ name }] = await views.reader.status();
  await views.reader.rebuild(name);
  await until(async () => {
    const [status] = await views.reader.status();
    return status.rebuild === undefined;
  });
}

const log = new Database(join(folder, 'events.db'), { readonly: true });
const page = log
  .prepare(
    `SELECT position, name, events.revision, id, type, data, metadata FROM events JOIN streams USING (stream_id)
     WHERE position > ? ORDER BY position LIMIT ${String(pageRows)}`,
  )
  .raw();

function scanOnce() {
  let position = 0;
  for (;;) {
    const rows = /** @type {[number, string, number, string, string, string, string][]} */ (
      page.all(position)
    );
    for (const [, , , , , data, metadata] of rows) {
      JSON.parse(data);
      JSON.parse(metadata);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    [position] = last;
  }
}

views.start();
await until(() => views.ready);
scanOnce();
const events = Number(log.prepare('SELECT count(*) FROM events').pluck().get());
/** @param {number} milliseconds */
const perSecond = (milliseconds) => events / (milliseconds / 1000);
const samples = await interleave(Number(rounds), {
  rebuild: async () => perSecond(await timeOf(rebuildOnce)),
  scan: async () => perSecond(await timeOf(scanOnce)),
});
log.close();
await views.close();
await store.close();
process.stdout.write(JSON.stringify(samples));
