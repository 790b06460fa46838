import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const readyWaitMs = 60_000;
const stopWaitMs = 20_000;

/**
 * A server that is up: it printed its ready line.
 * @typedef {object} Running
 * @property {number} port
 * @property {number} pid
 * @property {() => number} residentMiB
 * @property {() => number} cpuSeconds of all of its threads since it started
 * @property {() => Promise<void>} stop
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/**
 * Starts a Node process and waits for the line in which it tells its port.
 * @param {string} script
 * @param {{ args?: string[], nodeArgs?: string[], env?: Record<string, string>, cwd?: string, ready: RegExp }} options
 *   `ready`: its first group is the port
 * @returns {Promise<Running>}
 */
export async function startServer(script, { args = [], nodeArgs = [], env = {}, cwd, ready }) {
  const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
    // Its standard input stays open: an emulator ends when it is closed.
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  const port = await portOf(child, ready, script);
  child.stdout.resume();
  const pid = child.pid ?? 0;
  return {
    port,
    pid,
    residentMiB: () => residentMiB(pid),
    cpuSeconds: () => cpuSeconds(pid),
    stop: () => stop(child),
  };
}

/**
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} child
 * @param {RegExp} ready @param {string} script
 */
function portOf(child, ready, script) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${script} was not ready in time`)), readyWaitMs);
    child.once('exit', (code) =>
      reject(new Error(`${script} ended with ${String(code)} before it was ready`)),
    );
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const port = ready.exec(line)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      lines.close();
      resolve(Number(port));
    });
  });
}

/** Ends every server that is still up: what a measure that broke has left behind. */
export const stopAll = () => Promise.all([...alive].map(stop));

/** @param {import('node:child_process').ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWaitMs);
  child.kill('SIGTERM');
  await once(child, 'exit');
  clearTimeout(timer);
}

/** @param {number} pid @returns {number} resident memory in MiB (Linux) */
function residentMiB(pid) {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Clock ticks of the kernel's process statistics; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** @param {number} pid (Linux) */
function cpuSeconds(pid) {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? [];
  const [user, system] = [fields[11], fields[12]].map(Number);
  return ((user ?? NaN) + (system ?? NaN)) / ticksPerSecond;
}
