import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { startServer } from '../lib/processes.mjs';
import { median } from '../lib/statistics.mjs';
import { cancelTree, growTree } from '../lib/tree.mjs';
import { rpc, rpcResult, runLoad } from '../load/client.mjs';
import { sendMessageBody } from './bodies.mjs';

const descendants = 10_000;
const connections = 128;
const watchSeconds = 3;
const sweepBeginsAfterMs = 500;
const rawRunner = fileURLToPath(new URL('cascade-raw.mjs', import.meta.url));
const sdkServer = fileURLToPath(new URL('../peers/sdk-server.mjs', import.meta.url));

/**
 * One cancel of a task with 10,000 descendants (100 children of 99 each), from the request to the settled certificate;
 * beside the rows it wrote, inserted straight into SQLite, and beside 10,000 CancelTask calls on the SDK's own server.
 * `cold`: the same on a service that was started anew and holds no fold. `watched`: GetTask on another task meanwhile.
 * @param {import('./index.mjs').Settings} settings
 */
export async function cascade({ rounds }) {
  /** The folder of the last cascade: the raw side inserts its rows. */
  let folder = '';
  const warm = async () => {
    folder = newFolder('cascade');
    const ledger = await startLedger(folder);
    const milliseconds = await cancelTree(ledger.port, await growTree(ledger.port, descendants));
    await ledger.stop();
    return milliseconds;
  };
  const samples = await interleave(rounds, {
    warm,
    raw: () => insertRows(folder),
    cold,
    sdk: sdkCancels,
    watched,
    idle: () => Promise.resolve(lastIdle),
  });
  return { measure: 'cascade', samples, figures: figuresOf(samples) };
}

/** Milliseconds of the insert of the rows that the cascade in this folder wrote. @param {string} folder */
async function insertRows(folder) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    rawRunner,
    join(folder, 'events.db'),
    newFolder('raw'),
  ]);
  return Number(stdout);
}

async function cold() {
  const folder = newFolder('cascade');
  const first = await startLedger(folder);
  const rootTaskId = await growTree(first.port, descendants);
  await first.stop();
  const second = await startLedger(folder);
  const milliseconds = await cancelTree(second.port, rootTaskId);
  await second.stop();
  return milliseconds;
}

/** Milliseconds of 10,000 CancelTask calls, 128 at once. */
async function sdkCancels() {
  const peer = await startServer(sdkServer, { args: ['memory'], ready: /port=(\d+)/ });
  /** @type {string[]} */
  const bodies = [];
  const send = async () => {
    while (bodies.length < descendants) {
      const answer = await post(peer.port, '/', sendMessageBody);
      if (bodies.length < descendants) bodies.push(rpc('CancelTask', { id: answer.result.task.id }));
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  const load = { bodies, connections, requestsMax: descendants, expect: rpcResult };
  const { seconds } = await runLoad({ port: peer.port, ...load });
  await peer.stop();
  return seconds * 1000;
}

let lastIdle = NaN;

/** p99 of GetTask, one at a time, while a cascade runs; what it is on the idle service stands in `lastIdle` then. */
async function watched() {
  const ledger = await startLedger(newFolder('cascade'));
  const rootTaskId = await growTree(ledger.port, descendants);
  const other = await post(ledger.port, '/a2a/jsonrpc', sendMessageBody);
  const bodies = [rpc('GetTask', { id: other.result.task.id })];
  const reading = () =>
    runLoad({
      port: ledger.port,
      path: '/a2a/jsonrpc',
      bodies,
      connections: 1,
      pauseMs: 1,
      seconds: watchSeconds,
      expect: rpcResult,
    });
  await reading();
  lastIdle = (await reading()).p99;
  const busy = reading();
  await sleep(sweepBeginsAfterMs);
  await cancelTree(ledger.port, rootTaskId);
  const { p99 } = await busy;
  await ledger.stop();
  return p99;
}

/** @param {number} port @param {string} path @param {string} body @returns {Promise<any>} */
async function post(port, path, body) {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, { method: 'POST', headers, body });
  return response.json();
}

/** @param {Record<string, number[]>} samples @returns {import('../lib/report.mjs').Figure[]} */
function figuresOf({ warm = [], raw = [], cold: fresh = [], sdk = [], watched: busy = [], idle = [] }) {
  /** @param {readonly number[]} times */
  const rate = (times) => `${((descendants / median(times)) * 1000).toFixed(0)}/s`;
  /** @param {readonly number[]} times */
  const time = (times) => `${median(times).toFixed(0)} ms`;
  return [
    {
      title: 'cascade over 10,000 descendants, node events a second ÷ raw SQLite batches of the same rows',
      value: ratioOf(raw, warm),
      unit: '',
      better: 'more',
      must: 0.3,
      aim: 0.5,
      detail: `${rate(warm)} ÷ ${rate(raw)}`,
    },
    {
      title:
        'wall time of that cascade ÷ 10,000 CancelTask calls on the SDK server, in-memory store, 128 connections',
      value: ratioOf(warm, sdk),
      unit: '',
      better: 'less',
      must: 0.25,
      aim: 0.12,
      detail: `${time(warm)} ÷ ${time(sdk)}`,
    },
    {
      title: 'the same cascade on a service that holds no fold ÷ with folds at hand',
      value: ratioOf(fresh, warm),
      unit: '',
      better: 'less',
      detail: `${time(fresh)} ÷ ${time(warm)}`,
    },
    {
      title: 'p99 of GetTask on another task during a cascade over 10,000 ÷ idle',
      value: ratioOf(busy, idle),
      unit: '',
      better: 'less',
      detail: `${median(busy).toFixed(2)} ms ÷ ${median(idle).toFixed(2)} ms`,
    },
  ];
}
