import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { eventStoreServer } from '../lib/stand-ins.mjs';
import { median } from '../lib/statistics.mjs';

const runner = fileURLToPath(new URL('eventstore-append-run.mjs', import.meta.url));

/**
 * Appends of one event each, to new streams, by 32 callers at once, through the adapter, beside the same client alone.
 * @param {import('./index.mjs').Settings} settings
 */
export async function eventStoreAppend({ rounds, seconds }) {
  let server = '';
  /** @param {'adapter' | 'bare'} side */
  const run = async (side) => {
    const { url, name, stop } = await eventStoreServer();
    server = name;
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [runner, side, url, String(seconds)]);
      return Number(stdout);
    } finally {
      await stop();
    }
  };
  const samples = await interleave(rounds, { adapter: () => run('adapter'), bare: () => run('bare') });
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: `appends through the EventStoreDB adapter, 32 callers, ÷ bare appendToStream, on ${server}`,
      value: ratioOf(samples.adapter, samples.bare),
      unit: '',
      better: 'more',
      must: 0.7,
      aim: 0.9,
      detail: `${median(samples.adapter).toFixed(0)}/s ÷ ${median(samples.bare).toFixed(0)}/s`,
    },
  ];
  return { measure: 'eventstore-append', samples, figures };
}
