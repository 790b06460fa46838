// `npm start`: builds only when dist is missing or stale, then serves in this very process, so that signals reach it.
import { build, isStale } from './build.mjs';

if (isStale()) build();
await import('../dist/apps/ledger/src/main.js');
