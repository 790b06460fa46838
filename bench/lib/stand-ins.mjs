import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerFolder, rootFolder } from './paths.mjs';
import { startServer } from './processes.mjs';

const testing = join(ledgerFolder, 'dist/libs/testing/src');
const emulatorEntry = join(testing, 'eventstoredb/main.js');
const readyPattern = /^emulator ready url=esdb:\/\/[^ ]+:(\d+)/;

/** The servers that stand in for others are built for tests only. */
async function buildWhenMissing() {
  if (existsSync(emulatorEntry)) return;
  const { buildTesting } = await import(join(rootFolder, 'scripts/build.mjs'));
  buildTesting();
}

/**
 * Something that a measure talks to, and how to be rid of it.
 * @typedef {{ url: string, name: string, stop: () => Promise<void> }} Server
 */

/**
 * The EventStoreDB that `BENCH_EVENTSTORE` names (`esdb://…` or `kurrentdb://…`), or else an emulator in a process of its own.
 * @returns {Promise<Server>}
 */
export async function eventStoreServer() {
  const url = process.env['BENCH_EVENTSTORE'];
  if (url !== undefined) return { url, name: 'the server named', stop: async () => {} };
  await buildWhenMissing();
  const emulator = await startServer(emulatorEntry, { ready: readyPattern });
  const address = `esdb://127.0.0.1:${String(emulator.port)}?tls=false`;
  return { url: address, name: 'the emulator', stop: emulator.stop };
}

/**
 * An empty database of the PostgreSQL that `BENCH_POSTGRES` names, or else of one that is started here and syncs nothing.
 * @returns {Promise<Server>}
 */
export async function postgresDatabase() {
  await buildWhenMissing();
  const named = process.env['BENCH_POSTGRES'];
  if (named !== undefined) process.env['LEDGER_TEST_POSTGRES'] = named;
  else delete process.env['LEDGER_TEST_POSTGRES'];
  const { usePostgres } = await import(join(testing, 'postgres/index.js'));
  const server = await usePostgres();
  const database = await server.database();
  const stop = async () => {
    await database.drop();
    await server.stop();
  };
  return {
    url: database.url,
    name: named === undefined ? 'a server that syncs nothing' : 'the server named',
    stop,
  };
}
