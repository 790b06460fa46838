import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ratioOf } from '../lib/interleave.mjs';
import { seedTasks } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { median } from '../lib/statistics.mjs';

const tasks = 250_000;
const eventsPerTask = 4;
const roundsMax = 3;
const runner = fileURLToPath(new URL('rebuild-run.mjs', import.meta.url));

/**
 * Rebuild of every view from a log of 1,000,000 events, beside reading that log and parsing its JSON.
 * @param {import('./index.mjs').Settings} settings
 */
export async function rebuild({ rounds }) {
  const folder = newFolder('rebuild');
  await seedTasks(folder, { tasks, contexts: tasks / 50, life: 'whole', messages: 1 });
  const args = [runner, folder, String(Math.min(rounds, roundsMax))];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  /** @type {{ rebuild: number[], scan: number[] }} events a second */
  const samples = JSON.parse(stdout);
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: `rebuild of a ${(tasks * eventsPerTask).toLocaleString('en')}-event log ÷ raw scan + JSON.parse`,
      value: ratioOf(samples.rebuild, samples.scan),
      unit: '',
      better: 'more',
      must: 0.15,
      aim: 0.25,
      detail: `${median(samples.rebuild).toFixed(0)}/s ÷ ${median(samples.scan).toFixed(0)}/s`,
    },
  ];
  return { measure: 'rebuild', samples, figures };
}
