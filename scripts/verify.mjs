// `npm run verify`: all that CI runs. Stops at the first step that fails; the last line counts the tests.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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

/** Side by side, what each prints in one piece: they need one core each. */
const runTogether = async (...names) => {
  const begun = Date.now();
  const statuses = await Promise.all(
    names.map(async (name) => {
      const child = spawn('npm', ['run', '--silent', name], { cwd: root });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
      const [status] = await once(child, 'close');
      const seconds = ((Date.now() - begun) / 1000).toFixed(1);
      console.log(`\n── ${name}\n${text}── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
      return status;
    }),
  );
  return statuses.every((status) => status === 0);
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
  (await runTogether('types', 'lint', 'format:check', 'layers')) &&
  runTests('tests', 'test') &&
  runTests('tests on EventStoreDB', 'test:eventstore') &&
  runTests('the service on EventStoreDB', 'test:eventstore:service');
rmSync(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${green ? failed : Math.max(1, failed)} failed`);
process.exit(green && passed > 0 ? 0 : 1);
