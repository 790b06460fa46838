import { type LedgerLogger, silentLogger } from '#application';
import { openPostgresState, openSqliteState, type PostgresPlace } from '../store/index.js';
import type { State } from './state.js';

export type StateOptions = {
  readonly logger?: LedgerLogger;
} & (
  | {
      /** Path of the SQLite file, or `:memory:`. */
      readonly file: string;
    }
  | {
      /** The state stands in the schema `<namespace>_state`. */
      readonly postgres: PostgresPlace;
    }
);

/**
 * Opens the state; one that is not there is begun.
 * @throws StateUnreadableError damaged, of a newer version, or not a state at all; it is left as it is
 * @throws ViewsUnavailableError the database does not answer
 */
export const openState = async (options: StateOptions): Promise<State> => {
  const { logger = silentLogger } = options;
  if ('file' in options) {
    const { state, isNew } = openSqliteState(options.file);
    if (isNew) logger.info({ file: options.file }, 'the state begins empty');
    return state;
  }
  const { state, isNew } = await openPostgresState(options.postgres, logger);
  if (isNew) logger.info({ namespace: options.postgres.namespace }, 'the state begins empty');
  return state;
};
