import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { startServer } from '../lib/processes.mjs';
import { median } from '../lib/statistics.mjs';
import { rpcResult, runLoad } from '../load/client.mjs';
import { sendMessageBody } from './bodies.mjs';

const connections = 128;
const pauseMs = 2;
const rampUpMs = 500;
const storeServer = fileURLToPath(new URL('ping-server.mjs', import.meta.url));

/**
 * How long a ping waits (GET, one connection, one every 2 ms, p99) while appends saturate, and while nothing happens.
 * Twice: in a process that does nothing but append as fast as its store takes it (128 callers in the process), which
 * shows what the store does to the event loop; and in the service while 128 connections send messages, where a ping
 * stands in line behind their requests like everybody else.
 * @param {import('./index.mjs').Settings} settings
 */
export async function ping({ rounds, seconds }) {
  const store = await startServer(storeServer, { args: [newFolder('ping')], ready: /port=(\d+)/ });
  const ledger = await startLedger(newFolder('ping'));
  /** @param {number} port */
  const pings = async (port) =>
    (await runLoad({ port, method: 'GET', path: '/healthz', headers: {}, connections: 1, pauseMs, seconds }))
      .p99;
  /** @param {'/start' | '/stop'} path */
  const appends = (path) => fetch(`http://127.0.0.1:${String(store.port)}${path}`, { method: 'POST' });

  const storeBusy = async () => {
    await appends('/start');
    await sleep(rampUpMs);
    const p99 = await pings(store.port);
    await appends('/stop');
    return p99;
  };
  const ledgerBusy = async () => {
    const load = { path: '/a2a/jsonrpc', bodies: [sendMessageBody], connections, expect: rpcResult };
    const sending = runLoad({ port: ledger.port, ...load, seconds: seconds + 2 });
    await sleep(rampUpMs * 2);
    const p99 = await pings(ledger.port);
    await sending;
    return p99;
  };
  await storeBusy();
  await ledgerBusy();
  const samples = await interleave(rounds, {
    storeBusy,
    storeIdle: () => pings(store.port),
    ledgerBusy,
    ledgerIdle: () => pings(ledger.port),
  });
  await store.stop();
  await ledger.stop();
  return { measure: 'ping', samples, figures: figuresOf(samples) };
}

/** @param {Record<string, number[]>} samples @returns {import('../lib/report.mjs').Figure[]} */
function figuresOf({ storeBusy = [], storeIdle = [], ledgerBusy = [], ledgerIdle = [] }) {
  /** @param {number[]} busy @param {number[]} idle */
  const figure = (busy, idle) => ({
    value: ratioOf(busy, idle),
    unit: '',
    better: /** @type {const} */ ('less'),
    detail: `${median(busy).toFixed(2)} ms ÷ ${median(idle).toFixed(2)} ms`,
  });
  return [
    {
      title: 'ping p99 while appends saturate the store ÷ idle',
      must: 3,
      aim: 2,
      ...figure(storeBusy, storeIdle),
    },
    {
      title: 'ping p99 of the service under 128 connections of SendMessage ÷ idle',
      ...figure(ledgerBusy, ledgerIdle),
    },
  ];
}
