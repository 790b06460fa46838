import { runLoad } from '../load/client.mjs';
import { median } from './statistics.mjs';

/**
 * A server under one kind of load; remembers what its requests cost it.
 * @param {import('./processes.mjs').Running} server
 * @param {Omit<Partial<import('../load/client.mjs').Load>, 'port'>} load
 */
export function underLoad(server, load) {
  /** @type {number[]} */
  const costs = [];
  return {
    /** @param {number} seconds @returns {Promise<number>} requests a second */
    async perSecond(seconds) {
      const before = server.cpuSeconds();
      const { answers, perSecond } = await runLoad({ port: server.port, seconds, ...load });
      costs.push(((server.cpuSeconds() - before) / answers) * 1e6);
      return perSecond;
    },
    /** Microseconds of CPU of one request, all threads of the server together; median of the runs. */
    cpuMicroseconds: () => median(costs),
  };
}

/** @typedef {ReturnType<typeof underLoad>} Loaded */

/** `5000/s (200 µs of CPU each)`. @param {readonly number[]} rates @param {Loaded} loaded */
export const rateText = (rates, loaded) =>
  `${median(rates).toFixed(0)}/s (${loaded.cpuMicroseconds().toFixed(0)} µs)`;
