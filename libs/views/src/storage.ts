import { join } from 'node:path';
import { aloneLeadership, type Leadership, type LedgerLogger, silentLogger } from '#application';
import { openState } from './state/open-state.js';
import type { State } from './state/state.js';
import {
  clientConfig,
  namedAtStart,
  openPostgresLeadership,
  placeName,
  type PostgresPlace,
  PostgresViewStorage,
  SqliteViewStorage,
  type ViewStorage,
} from './store/index.js';

export type StorageHealth =
  { readonly reachable: true } | { readonly reachable: false; readonly reason: string };

/** Where views and state are kept, and who of several instances leads. */
export interface Storage {
  readonly views: ViewStorage;
  readonly state: State;
  readonly leadership: Leadership;
  /** For the operator: which place it is, without who and by what password. */
  readonly name: string;
  /** As of the last call: nothing is asked. */
  health(): StorageHealth;
  /** To be called when nothing is read or written any more. */
  close(): Promise<void>;
}

export interface SqliteStorageOptions {
  /** Holds `views.db` and `state.db`, and is this process's alone. */
  readonly folder: string;
  readonly logger?: LedgerLogger;
}

/** @throws StateUnreadableError the state is damaged, of a newer version, or not a state at all */
export const openSqliteStorage = async ({
  folder,
  logger = silentLogger,
}: SqliteStorageOptions): Promise<Storage> => {
  const file = join(folder, 'views.db');
  const state = await openState({ file: join(folder, 'state.db'), logger });
  const leadership = aloneLeadership(logger);
  return {
    views: new SqliteViewStorage(file),
    state,
    leadership,
    name: `sqlite:${file}`,
    health: () => ({ reachable: true }),
    close: async () => {
      await leadership.close();
      await state.close();
    },
  };
};

export interface PostgresStorageOptions extends PostgresPlace {
  readonly logger?: LedgerLogger;
}

/**
 * @throws StorageSettingError what was set can never work: one line that names it, without the password
 * @throws StorageUnavailableError the server is not there yet
 * @throws StateUnreadableError the state is of a newer version, or not a state at all
 */
export const openPostgresStorage = async (options: PostgresStorageOptions): Promise<Storage> => {
  const { url, namespace, logger = silentLogger } = options;
  const name = placeName(url);
  const views = new PostgresViewStorage({ url, namespace, logger });
  try {
    await views.check();
    const state = await openState({ postgres: { url, namespace }, logger });
    const leadership = openPostgresLeadership({ connection: clientConfig(url), namespace, logger });
    return {
      ...{ views, state, leadership, name },
      health: () => views.health(),
      close: async () => {
        await leadership.close();
        await Promise.all([views.close(), state.close()]);
      },
    };
  } catch (error) {
    await views.close();
    throw namedAtStart(error);
  }
};
