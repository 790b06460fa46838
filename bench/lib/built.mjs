import { join } from 'node:path';
import { ledgerFolder } from './paths.mjs';

/**
 * A library of the ledger as it was built. Loaded by name, for it may not be built yet when this file is read.
 * @param {'domain' | 'event-store' | 'application' | 'views'} name
 */
export const built = (name) => import(join(ledgerFolder, 'dist/libs', name, 'src/index.js'));
