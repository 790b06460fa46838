// `node scripts/test.mjs <projects of jest.config.mjs, by commas> [jest arguments]`: the tests drive the built service and the
// servers of libs/testing, so both are built first. One PostgreSQL serves the whole run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build, buildTesting, isStale, isTestingStale } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [chosen, ...jestArguments] = process.argv.slice(2);
// Whoever names projects himself gets those.
const projects = jestArguments.includes('--selectProjects') ? [] : chosen.split(',');

const serverVariable = 'LEDGER_TEST_POSTGRES';
/** Projects with tests that keep views and state in PostgreSQL. */
const withPostgres = ['integration', 'e2e', 'eventstore-service', 'eventstore-faults'];

/** It ends when its standard input does, so also when this process is killed. */
const startPostgres = async () => {
  const server = spawn(process.execPath, ['dist/libs/testing/src/postgres/main.js'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    once(server, 'exit').then(() => ['postgres absent: it ended']),
  ]);
  const url = /^postgres ready url=(\S+)$/.exec(line)?.[1];
  if (url === undefined) throw new Error(line);
  const stop = async () => {
    const gone = once(server, 'exit');
    server.stdin.end();
    await gone;
  };
  return { url, stop };
};

const runJest = (environment) =>
  spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      ...jestArguments,
      // Last, for it takes every word that follows.
      ...(projects.length > 0 ? ['--selectProjects', ...projects] : []),
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } },
  ).status ?? 1;

if (isStale()) build();
if (isTestingStale()) buildTesting();
const isNeeded =
  !process.env[serverVariable] &&
  [...projects, ...jestArguments].some((project) => withPostgres.includes(project));
try {
  const postgres = isNeeded ? await startPostgres() : undefined;
  const status = runJest(postgres === undefined ? {} : { [serverVariable]: postgres.url });
  await postgres?.stop();
  process.exitCode = status;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
