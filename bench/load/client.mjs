import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Load
 * @property {number} port
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {string[]} bodies sent in turn, over and over; empty: requests have no body
 * @property {number} connections each with one request in flight
 * @property {number} seconds at most
 * @property {number} requestsMax at most
 * @property {number} pauseMs wait of a connection between an answer and its next request
 * @property {string} expect text that every good answer's body contains
 *
 * @typedef {object} LoadResult latencies in milliseconds
 * @property {number} answers
 * @property {number} seconds
 * @property {number} perSecond
 * @property {number} p50
 * @property {number} p99
 * @property {number} most
 * @property {number} refused answers that were not good
 * @property {string} firstRefusal
 * @property {number} cpuMicroseconds what the generator itself used, per answer
 */

const generator = fileURLToPath(new URL('generator.mjs', import.meta.url));

/** @type {Omit<Load, 'port'>} */
const defaults = {
  method: 'POST',
  path: '/',
  headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
  bodies: [],
  connections: 1,
  seconds: 60,
  requestsMax: 10_000_000,
  pauseMs: 0,
  expect: '',
};

/**
 * Runs one load in a process of its own. One refused request spoils a run: it throws.
 * @param {Partial<Load> & { port: number }} load
 * @returns {Promise<LoadResult>}
 */
export async function runLoad(load) {
  const child = spawn(process.execPath, [generator], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ ...defaults, ...load }));
  const [result] = await Promise.all([readResult(child.stdout), once(child, 'exit')]);
  if (result.refused > 0) {
    throw new Error(
      `${String(result.refused)} requests were refused, the first with: ${result.firstRefusal}`,
    );
  }
  return result;
}

/** @param {import('node:stream').Readable} stdout @returns {Promise<LoadResult>} */
async function readResult(stdout) {
  try {
    return /** @type {LoadResult} */ (await json(stdout));
  } catch (cause) {
    throw new Error('the load generator ended without a result', { cause });
  }
}

/** @param {string} method @param {unknown} params @returns {string} body of a JSON-RPC request */
export const rpc = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Every good JSON-RPC answer contains this. */
export const rpcResult = '"result"';
