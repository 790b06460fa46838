// `npm run verify`: all that CI runs. Stops at the first step that fails; the last line counts the tests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ledger-verify-'));
const results = join(folder, 'jest.json');

const run = (name, ...args) => {
  const begun = Date.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync('npm', ['run', '--silent', ...args], { cwd: root, stdio: 'inherit' });
  console.log(
    `── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - begun) / 1000).toFixed(1)} s`,
  );
  return status === 0;
};

const counts = () => {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    return { passed: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0) };
  } catch {
    return { passed: 0, failed: 1 }; // No test ran: a step before the tests failed.
  }
};

const passed =
  run('types', 'types') &&
  run('lint', 'lint') &&
  run('layers', 'layers') &&
  run('tests', 'test', '--', '--json', `--outputFile=${results}`);
const { passed: numberPassed, failed: numberFailed } = counts();
rmSync(folder, { recursive: true, force: true });
console.log(`\n${numberPassed} passed, ${passed ? numberFailed : Math.max(1, numberFailed)} failed`);
process.exit(passed && numberPassed > 0 ? 0 : 1);
