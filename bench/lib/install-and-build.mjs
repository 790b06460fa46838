import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder, ledgerFolder, rootFolder } from './paths.mjs';

/** The peers are dependencies of this folder only; they are installed at the first run. */
export function installWhenMissing() {
  if (existsSync(join(benchFolder, 'node_modules', '.package-lock.json'))) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: benchFolder, stdio: ['ignore', 2, 2] });
}

/** What is measured is the built service; another checkout (`BENCH_LEDGER`) is taken as it is. */
export async function buildWhenStale() {
  if (ledgerFolder !== rootFolder) return;
  const { build, isStale } = await import(join(rootFolder, 'scripts/build.mjs'));
  if (isStale()) build();
}
