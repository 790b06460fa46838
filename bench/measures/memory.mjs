import { setTimeout as sleep } from 'node:timers/promises';
import { startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { rpcResult, runLoad } from '../load/client.mjs';
import { sendMessageBody } from './bodies.mjs';

const few = 1_000;
const many = 100_000;
const connections = 32;
const settleMs = 5_000;

/** Resident memory of one service while SendMessage fills it from 1,000 to 100,000 tasks. */
export async function memory() {
  const ledger = await startLedger(newFolder('memory'));
  /** @param {number} tasks */
  const residentAfter = async (tasks) => {
    const load = {
      path: '/a2a/jsonrpc',
      bodies: [sendMessageBody],
      connections,
      requestsMax: tasks,
      seconds: 600,
    };
    await runLoad({ port: ledger.port, expect: rpcResult, ...load });
    await sleep(settleMs);
    return ledger.residentMiB();
  };
  const atFew = await residentAfter(few);
  const atMany = await residentAfter(many - few);
  await ledger.stop();
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: 'RSS growth, 1,000 → 100,000 stored tasks',
      value: atMany - atFew,
      unit: ' MiB',
      better: 'less',
      must: 200,
      aim: 100,
      detail: `${atFew.toFixed(0)} MiB → ${atMany.toFixed(0)} MiB`,
    },
  ];
  return { measure: 'memory', samples: { atFew: [atFew], atMany: [atMany] }, figures };
}
