import { median } from './statistics.mjs';

/**
 * Runs the sides one after another, over and over (A B A B …), so that whatever the machine does meanwhile meets all
 * of them.
 * @template {string} Side
 * @param {number} rounds
 * @param {Record<Side, () => Promise<number>>} sides each answers one figure
 * @returns {Promise<Record<Side, number[]>>} a figure for each round
 */
export async function interleave(rounds, sides) {
  const names = /** @type {Side[]} */ (Object.keys(sides));
  /** @type {any} */
  const empty = Object.fromEntries(names.map((name) => [name, []]));
  /** @type {Record<Side, number[]>} */
  const figures = empty;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) figures[name].push(await sides[name]());
  }
  return figures;
}

/** Median of the ratios of each round (of those that both have). @param {readonly number[]} above @param {readonly number[]} below */
export const ratioOf = (above, below) =>
  median(above.slice(0, below.length).map((figure, round) => figure / (below[round] ?? NaN)));
