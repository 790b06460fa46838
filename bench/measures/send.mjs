import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { startLedger } from '../lib/ledger.mjs';
import { benchFolder, newFolder } from '../lib/paths.mjs';
import { startServer } from '../lib/processes.mjs';
import { rateText, underLoad } from '../lib/throughput.mjs';
import { rpcResult } from '../load/client.mjs';
import { sendMessageBody } from './bodies.mjs';

const connections = 128;
const warmUpSeconds = 2;
const sdkServer = fileURLToPath(new URL('../peers/sdk-server.mjs', import.meta.url));
const sdkSchema = join(benchFolder, 'node_modules/@a2a-js/sdk/dist/cli/a2a_db.js');

/**
 * Durable SendMessage with returnImmediately, beside the SDK's server on its own two stores.
 * @param {import('./index.mjs').Settings} settings
 */
export async function send({ rounds, seconds }) {
  const servers = {
    ledger: await startLedger(newFolder('send')),
    memory: await startSdk(['memory']),
    database: await startSdk(['database', sdkDatabase()]),
  };
  const load = { bodies: [sendMessageBody], connections, expect: rpcResult };
  const ledger = underLoad(servers.ledger, { path: '/a2a/jsonrpc', ...load });
  const memory = underLoad(servers.memory, load);
  const database = underLoad(servers.database, load);
  for (const side of [ledger, memory, database]) await side.perSecond(warmUpSeconds);
  const samples = await interleave(rounds, {
    ledger: () => ledger.perSecond(seconds),
    memory: () => memory.perSecond(seconds),
    database: () => database.perSecond(seconds),
  });
  for (const server of Object.values(servers)) await server.stop();

  /** @param {readonly number[]} rates @param {import('../lib/throughput.mjs').Loaded} peer */
  const detail = (rates, peer) => `${rateText(samples.ledger, ledger)} ÷ ${rateText(rates, peer)}`;
  const title = 'durable SendMessage (returnImmediately, FULL)';
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: `${title} ÷ SDK server, in-memory store, 128 connections`,
      value: ratioOf(samples.ledger, samples.memory),
      unit: '',
      better: 'more',
      must: 1.3,
      aim: 1.8,
      detail: detail(samples.memory, memory),
    },
    {
      title: `${title} ÷ SDK server, DatabaseTaskStore on SQLite FULL, 128 connections`,
      value: ratioOf(samples.ledger, samples.database),
      unit: '',
      better: 'more',
      must: 6,
      aim: 8,
      detail: detail(samples.database, database),
    },
  ];
  return { measure: 'send', samples, figures };
}

/** @param {string[]} args */
const startSdk = (args) => startServer(sdkServer, { args, ready: /port=(\d+)/ });

/** @returns {string} a new database file with the SDK's own schema */
function sdkDatabase() {
  const file = join(newFolder('sdk'), 'tasks.db');
  execFileSync(process.execPath, [sdkSchema, 'upgrade', '--url', `sqlite:${file}`], {
    cwd: benchFolder,
    stdio: 'ignore',
  });
  return file;
}
