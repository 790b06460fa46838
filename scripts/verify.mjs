// `npm run verify`: all that CI runs. Stops at the first step that fails; the last line counts the tests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ledger-verify-'));

const run = (name, ...args) => {
  const begun = Date.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync('npm', ['run', '--silent', ...args], { cwd: root, stdio: 'inherit' });
  console.log(
    `── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - begun) / 1000).toFixed(1)} s`,
  );
  return status === 0;
};

let passed = 0;
let failed = 0;

/** Adds what Jest counted; a run that left no counts has failed before its tests. */
const count = (results) => {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    passed += numPassedTests;
    failed += Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0);
  } catch {
    failed += 1;
  }
};

const runTests = (name, script) => {
  const results = join(folder, `${script.replaceAll(':', '-')}.json`);
  const ok = run(name, script, '--', '--json', `--outputFile=${results}`);
  count(results);
  return ok;
};

const green =
  run('types', 'types') &&
  run('lint', 'lint') &&
  run('layers', 'layers') &&
  runTests('tests', 'test') &&
  runTests('tests on EventStoreDB', 'test:eventstore') &&
  runTests('the service on EventStoreDB', 'test:eventstore:service');
rmSync(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${green ? failed : Math.max(1, failed)} failed`);
process.exit(green && passed > 0 ? 0 : 1);
