import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from './paths.mjs';
import { markdownTable } from './report.mjs';

const file = join(rootFolder, 'docs/BENCHMARKS.md');
const begin = '<!-- figures: written by `npm run bench -- docs` -->';
const end = '<!-- end of figures -->';

/** Puts the last results into docs/BENCHMARKS.md. @param {readonly import('./report.mjs').Outcome[]} outcomes */
export function refreshDocs(outcomes) {
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin);
  const after = rest.split(end)[1] ?? '';
  const figures = [begin, markdownTable(outcomes), machineLines(outcomes), end].join('\n\n');
  writeFileSync(file, before + figures + after);
  // The table is laid out as the lint step wants it.
  execFileSync(join(rootFolder, 'node_modules/.bin/prettier'), ['--write', file], { stdio: 'ignore' });
}

/** @param {readonly import('./report.mjs').Outcome[]} outcomes */
function machineLines(outcomes) {
  const lines = outcomes.map(({ machine, settings, measuredAt }) => {
    const { processor, cores, memoryGiB, node } = machine ?? {};
    const rounds = `${String(settings?.rounds)} rounds of ${String(settings?.seconds)} s`;
    return `${String(processor)}, ${String(cores)} cores, ${String(memoryGiB)} GiB, Node ${String(node)}, local disk; ${rounds}; ${String(measuredAt).slice(0, 10)}.`;
  });
  return [...new Set(lines)].join('\n');
}
