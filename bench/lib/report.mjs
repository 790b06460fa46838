import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { resultsFolder } from './paths.mjs';

/**
 * One line of the table.
 * @typedef {object} Figure
 * @property {string} title what is divided by what
 * @property {number} value
 * @property {string} unit empty for a ratio
 * @property {'more' | 'less'} better
 * @property {number} [must] a figure without bounds is told, not judged
 * @property {number} [aim]
 * @property {string} detail both sides as they were measured
 *
 * @typedef {object} Outcome
 * @property {string} measure
 * @property {Figure[]} figures
 * @property {Record<string, readonly number[]>} samples a figure for each round
 * @property {ReturnType<typeof machine>} [machine] of a saved one
 * @property {{ rounds: number, seconds: number }} [settings] of a saved one
 * @property {string} [measuredAt] of a saved one
 */

/** @param {Figure} figure @returns {'aim' | 'must' | 'SHORT' | '–'} */
export function verdictOf({ value, better, must, aim }) {
  if (must === undefined || aim === undefined) return '–';
  /** @param {number} bound */
  const reaches = (bound) => (better === 'more' ? value >= bound : value <= bound);
  if (reaches(aim)) return 'aim';
  return reaches(must) ? 'must' : 'SHORT';
}

export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
});

/** @param {Outcome} outcome @param {object} settings */
export function save(outcome, settings) {
  mkdirSync(resultsFolder, { recursive: true });
  const document = { ...outcome, settings, machine: machine(), measuredAt: new Date().toISOString() };
  writeFileSync(join(resultsFolder, `${outcome.measure}.json`), `${JSON.stringify(document, null, 2)}\n`);
}

/** The last result of each of these measures, where there is one. @param {readonly string[]} measures */
export function savedOutcomes(measures) {
  if (!existsSync(resultsFolder)) return [];
  const files = new Set(readdirSync(resultsFolder));
  return measures
    .map((measure) => `${measure}.json`)
    .filter((file) => files.has(file))
    .map((file) => /** @type {Outcome} */ (JSON.parse(readFileSync(join(resultsFolder, file), 'utf8'))));
}

/** @param {Figure} figure @param {number | undefined} bound */
const boundText = ({ better, unit }, bound) =>
  bound === undefined ? '–' : `${better === 'more' ? '≥' : '≤'} ${String(bound)}${unit}`;

/** @param {Figure} figure */
const valueText = ({ value, unit }) => `${value.toFixed(unit === '' ? 2 : 0)}${unit}`;

const heads = ['measure', 'figure', 'must', 'aim', 'reaches', 'seen'];

/** @param {Figure} figure @returns {string[]} */
const cellsOf = (figure) => [
  figure.title,
  valueText(figure),
  boundText(figure, figure.must),
  boundText(figure, figure.aim),
  verdictOf(figure),
  figure.detail,
];

/** @param {readonly Outcome[]} outcomes @returns {string} a table for a terminal */
export function plainTable(outcomes) {
  const rows = [heads, ...outcomes.flatMap(({ figures }) => figures.map(cellsOf))];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** @param {readonly Outcome[]} outcomes @returns {string} the table of docs/BENCHMARKS.md */
export function markdownTable(outcomes) {
  const rows = outcomes.flatMap(({ measure, figures }) =>
    figures.map((figure) => [...cellsOf(figure), `\`npm run bench -- ${measure}\``]),
  );
  const lines = [[...heads, 'command'], heads.map(() => '---').concat('---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
