import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ledgerEntry, ledgerFolder } from './paths.mjs';
import { startServer } from './processes.mjs';

const readyPattern = /^ledger ready http=http:\/\/[^ ]+:(\d+)/;
const caughtUpWaitMs = 300_000;
const caughtUpPollMs = 50;
const seedScript = fileURLToPath(new URL('seed.mjs', import.meta.url));

/**
 * The service on a data folder, with its defaults, quiet in its log, and with every view caught up.
 * @param {string} folder
 * @param {Record<string, string>} [settings] beside the defaults
 * @returns {Promise<import('./processes.mjs').Running>}
 */
export async function startLedger(folder, settings = {}) {
  const profile = process.env['BENCH_PROFILE'];
  const ledger = await startServer(ledgerEntry, {
    ready: readyPattern,
    cwd: ledgerFolder,
    nodeArgs: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    env: { LEDGER_PORT: '0', LEDGER_DATA_DIR: folder, LEDGER_LOG: 'warn', ...settings },
  });
  await untilCaughtUp(ledger.port);
  return ledger;
}

/** @param {number} port */
async function untilCaughtUp(port) {
  const until = Date.now() + caughtUpWaitMs;
  while (Date.now() < until) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/readyz`);
    await answer.arrayBuffer();
    if (answer.ok) return;
    await sleep(caughtUpPollMs);
  }
  throw new Error('the ledger did not become ready in time');
}

/**
 * Writes tasks into the log of a data folder through the event store, in a process of its own.
 * @param {string} folder
 * @param {import('./seed.mjs').Seed} seed
 * @returns {Promise<string[]>} the ids of the tasks, oldest first
 */
export async function seedTasks(folder, seed) {
  const { stdout } = await promisify(execFile)(process.execPath, [seedScript, folder, JSON.stringify(seed)], {
    maxBuffer: 64 * 1024 * 1024,
    cwd: ledgerFolder,
  });
  return /** @type {string[]} */ (JSON.parse(stdout));
}

/** Name of a seeded context. @param {number} number */
export const contextOf = (number) => `context-${String(number)}`;
