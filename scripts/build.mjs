// Builds dist anew: the old one is removed first, so that nothing of a deleted source lives on in it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/.built');
const testingStamp = join(root, 'dist/.built-testing');
const inputs = ['apps', 'libs', 'nest-cli.json', 'tsconfig.base.json', 'package-lock.json'];

const newest = (path) => {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
};

const isOlder = (file, paths) => {
  if (!existsSync(file)) return true;
  const built = statSync(file).mtimeMs;
  return paths.some((path) => newest(join(root, path)) > built);
};

/** Whether dist is missing, or older than what it is built from. */
export const isStale = () => isOlder(stamp, inputs);

/** The same of what only tests run. */
export const isTestingStale = () =>
  isOlder(testingStamp, ['libs', 'tsconfig.base.json', 'package-lock.json']);

/** Builds; throws when the compiler finds an error. */
export const build = () => {
  const begun = new Date();
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build', 'ledger'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the build failed');
  writeFileSync(stamp, begun.toISOString());
};

/** What only tests run: the servers that stand in for others. No part of what is shipped. */
export const buildTesting = () => {
  const begun = new Date();
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'libs/testing/tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the build of libs/testing failed');
  writeFileSync(testingStamp, begun.toISOString());
};

if (process.argv[1] === fileURLToPath(import.meta.url)) build();
