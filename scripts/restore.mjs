// `npm run restore -- <folder>`: puts a backup into the deployment that the LEDGER_* variables name and nobody uses yet.
import { build, isStale } from './build.mjs';

if (isStale()) build();
process.argv.splice(2, 0, 'restore');
await import('../dist/apps/ledger/src/backup/main.js');
