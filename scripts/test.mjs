// `node scripts/test.mjs <projects of jest.config.mjs> [jest arguments]`: the tests drive the built service and the
// servers of libs/testing, so both are built first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build, buildTesting, isStale } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const end = words.findIndex((word) => word.startsWith('-'));
const projects = end < 0 ? words : words.slice(0, end);
const jestArguments = end < 0 ? [] : words.slice(end);

if (isStale()) build();
buildTesting();
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    ...projects,
    ...jestArguments,
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
