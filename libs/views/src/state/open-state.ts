import { type LedgerLogger, silentLogger } from '#application';
import { openSqliteState } from '../store/index.js';
import type { State } from './state.js';

export interface StateOptions {
  /** Path of the SQLite file, or `:memory:`. */
  readonly file: string;
  readonly logger?: LedgerLogger;
}

/**
 * Opens the state; a file that is not there is begun.
 * @throws StateUnreadableError damaged, of a newer version, or not a state at all; the file is left as it is
 */
export const openState = ({ file, logger = silentLogger }: StateOptions): Promise<State> =>
  // In a promise, so that what it throws is a rejection.
  Promise.resolve().then(() => {
    const { state, isNew } = openSqliteState(file);
    if (isNew) logger.info({ file }, 'the state begins empty');
    return state;
  });
