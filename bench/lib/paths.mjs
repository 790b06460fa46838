import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const benchFolder = fileURLToPath(new URL('..', import.meta.url));
export const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
/** The checkout whose build is measured: this one, or another one to compare with. */
export const ledgerFolder = process.env['BENCH_LEDGER'] ?? rootFolder;
export const resultsFolder = join(benchFolder, 'results');
export const ledgerEntry = join(ledgerFolder, 'dist/apps/ledger/src/main.js');

/** Data lies beside the bench, on the disk that is measured: a temporary folder may be memory. */
const dataFolder = join(benchFolder, 'data');

/** @type {string[]} */
const made = [];
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new, empty folder that is gone when this process ends. @param {string} name */
export function newFolder(name) {
  mkdirSync(dataFolder, { recursive: true });
  const folder = mkdtempSync(join(dataFolder, `${name}-`));
  made.push(folder);
  return folder;
}
