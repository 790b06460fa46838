import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from './service.js';

/** What `npm run backup` and `npm run restore` run, of the same build as the service. */
const entry =
  process.env.LEDGER_TEST_ENTRY ?? resolve(import.meta.dirname, '../../dist/apps/ledger/src/main.js');
const command = join(dirname(entry), 'backup/main.js');

/** Runs it to its end, beside whatever serves. @throws Error with what it said, when it failed */
export const runBackupCommand = async (
  word: 'backup' | 'restore',
  folder: string,
  environment: Environment,
): Promise<string> => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LEDGER_|NODE_OPTIONS)/.test(name));
  const child = spawn(process.execPath, [command, word, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${word} ended with ${String(code)}: ${stderr}`);
  return stdout;
};
