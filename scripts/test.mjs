// `npm test [-- jest arguments]`: the acceptance tests drive the built service, so the build comes first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build, isStale } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
if (isStale()) build();
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
