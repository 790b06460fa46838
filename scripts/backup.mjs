// `npm run backup -- <folder>`: copies state and events of the ledger that the LEDGER_* variables name, while it serves.
// What is built is taken as it is, for a ledger may be running from it.
import { existsSync } from 'node:fs';
import { build } from './build.mjs';

const entry = new URL('../dist/apps/ledger/src/backup/main.js', import.meta.url);
if (!existsSync(entry)) build();
process.argv.splice(2, 0, 'backup');
await import(entry.href);
