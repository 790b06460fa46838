import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { newFolder } from '../lib/paths.mjs';
import { median } from '../lib/statistics.mjs';

const runner = fileURLToPath(new URL('append-run.mjs', import.meta.url));

/**
 * Appends of one event each, to new streams, by 128 callers at once, beside batches written straight into SQLite.
 * @param {import('./index.mjs').Settings} settings
 */
export async function append({ rounds, seconds }) {
  const samples = await interleave(rounds, {
    store: () => eventsPerSecond('store', seconds),
    raw: () => eventsPerSecond('raw', seconds),
  });
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: 'store appends, 128 callers, ÷ raw SQLite batch of 128 on the same schema',
      value: ratioOf(samples.store, samples.raw),
      unit: '',
      better: 'more',
      must: 0.5,
      aim: 0.7,
      detail: `${median(samples.store).toFixed(0)}/s ÷ ${median(samples.raw).toFixed(0)}/s`,
    },
  ];
  return { measure: 'append', samples, figures };
}

/** Each run in a new process on a new file. @param {'store' | 'raw'} side @param {number} seconds */
async function eventsPerSecond(side, seconds) {
  const args = [runner, side, newFolder('append'), String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}
