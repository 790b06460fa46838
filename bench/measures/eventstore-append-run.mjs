/**
 * One run of the eventstore-append measure: `node eventstore-append-run.mjs <adapter|bare> <url> <seconds>`; prints
 * events a second.
 *
 * Both sides: 32 callers, each appends one event to a stream of its own, waits for the answer and comes back in a later
 * turn of the loop. `bare`: the client's own appendToStream, one client, batch append. `adapter`: the store as the service
 * opens it. A process of its own each, for two clients in one process disturb each other.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { built } from '../lib/built.mjs';
import { ledgerFolder } from '../lib/paths.mjs';
import { taskSubmitted } from './bodies.mjs';

const callers = 32;
const prepared = 10_000;
const warmUpMs = 1_000;

const namespace = `bench${randomUUID().slice(0, 8)}`;
/** Made beforehand, so that making them is not measured. */
const events = Array.from({ length: prepared }, taskSubmitted);
let made = 0;
const nextStream = () => `${namespace}.task-${String(made++).padStart(36, '0')}`;
// An id of its own each time: a store may look for one that it knows.
const nextEvent = () => ({
  .../** @type {typeof events[number]} */ (events[made % prepared]),
  id: randomUUID(),
});

/** @typedef {{ append: (stream: string, event: ReturnType<typeof nextEvent>) => Promise<unknown>, close: () => Promise<unknown> }} Side */

/** @param {string} url @returns {Promise<Side>} */
async function adapter(url) {
  const { openEventStoreDb } = await built('event-store');
  const store = await openEventStoreDb({ url, namespace });
  return { append: (stream, event) => store.append(stream, [event], 'none'), close: () => store.close() };
}

/** @param {string} url @returns {Promise<Side>} */
async function bare(url) {
  const load = createRequire(join(ledgerFolder, 'package.json'));
  const isKurrent = url.startsWith('kurrentdb');
  const client = load(isKurrent ? '@kurrent/kurrentdb-client' : '@eventstore/db-client');
  const connection = (isKurrent ? client.KurrentDBClient : client.EventStoreDBClient).connectionString(url);
  const expectedRevision = client.NO_STREAM;
  return {
    append: (stream, { id, type, data, metadata }) => {
      const event = client.jsonEvent({ id, type, data: JSON.parse(data), metadata: JSON.parse(metadata) });
      return connection.appendToStream(stream, event, { expectedRevision });
    },
    close: () => connection.dispose(),
  };
}

/** @param {Side} side @param {number} seconds */
async function eventsPerSecond({ append, close }, seconds) {
  let appended = 0;
  let until = Infinity;
  const caller = async () => {
    while (performance.now() < until) {
      await append(nextStream(), nextEvent());
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
  await close();
  return rate;
}

const [name, url = '', seconds = '2'] = process.argv.slice(2);
const side = await (name === 'adapter' ? adapter : bare)(url);
process.stdout.write(String(await eventsPerSecond(side, Number(seconds))));
process.exit(0);
