/**
 * `npm run bench` measures everything; `npm run bench -- send get` only these; `quick` for one short round of each;
 * `rounds=7 seconds=5` as you like; `table` prints the last results as Markdown, `docs` puts them into
 * docs/BENCHMARKS.md.
 */
import { loadavg } from 'node:os';
import { refreshDocs } from './lib/docs.mjs';
import { buildWhenStale, installWhenMissing } from './lib/install-and-build.mjs';
import { stopAll } from './lib/processes.mjs';
import { machine, markdownTable, plainTable, save, savedOutcomes } from './lib/report.mjs';

/** In the order of the table. */
const names = [
  'send',
  'get',
  'list',
  'append',
  'ping',
  'message',
  'rebuild',
  'memory',
  'cascade',
  'eventstore-append',
  'send-postgres',
];
const standard = { rounds: 5, seconds: 4 };
const quick = { rounds: 1, seconds: 1 };
const busyLoad = 0.5;

/** @param {readonly string[]} words */
function readArguments(words) {
  const settings = words.includes('quick') ? { ...quick } : { ...standard };
  const chosen = [];
  for (const word of words.filter((word) => word !== 'quick')) {
    const [key = '', value] = word.split('=');
    if (names.includes(word)) chosen.push(word);
    else if ((key === 'rounds' || key === 'seconds') && Number(value) > 0) settings[key] = Number(value);
    else
      throw new Error(`"${word}" is none of: ${names.join(', ')}, quick, rounds=n, seconds=n, table, docs`);
  }
  return { settings, chosen: chosen.length === 0 ? names : chosen };
}

/** Warns of company: a figure that was measured beside other work is worth little. @param {string} name */
function announce(name) {
  const [load = 0] = loadavg();
  const company = load > busyLoad ? ` (load was ${load.toFixed(1)}: is something else running?)` : '';
  process.stderr.write(`measuring ${name} …${company}\n`);
}

/** A measure that breaks is told and does not stop the others. @param {readonly string[]} chosen @param {typeof standard} settings */
async function measureAll(chosen, settings) {
  const { measures } = await import('./measures/index.mjs');
  const outcomes = [];
  for (const name of chosen) {
    announce(name);
    try {
      const outcome = await measures[/** @type {keyof typeof measures} */ (name)](settings);
      save(outcome, settings);
      outcomes.push(outcome);
      process.stderr.write(`${plainTable([outcome])}\n\n`);
    } catch (error) {
      process.exitCode = 1;
      await stopAll();
      process.stderr.write(
        `${name} broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n\n`,
      );
    }
  }
  return outcomes;
}

/** @param {readonly string[]} words */
async function bench(words) {
  const { settings, chosen } = readArguments(words);
  installWhenMissing();
  await buildWhenStale();
  const outcomes = await measureAll(chosen, settings);
  const { processor, cores, memoryGiB, node } = machine();
  process.stdout.write(`${processor}, ${String(cores)} cores, ${String(memoryGiB)} GiB, Node ${node}\n`);
  process.stdout.write(`${plainTable(outcomes)}\n`);
}

const words = process.argv.slice(2);
if (words.includes('table')) process.stdout.write(`${markdownTable(savedOutcomes(names))}\n`);
else if (words.includes('docs')) refreshDocs(savedOutcomes(names));
else {
  await bench(words).catch((/** @type {Error} */ error) => {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 1;
  });
}
