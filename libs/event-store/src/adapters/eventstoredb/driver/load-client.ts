import { EventStoreSettingError } from '../settings/setting-error.js';
import type { ClientPackage, ConnectionSettings } from '../settings/connection-string.js';
import type { LoadedClient } from './client-driver.js';
import { loadDbClient } from './db-client.js';
import { loadKurrentDbClient } from './kurrentdb-client.js';

let loaded: ClientPackage | undefined;

/**
 * The client that the connection string asks for. One of the two a process: their generated code shares one global
 * name, and together they break each other.
 * @throws EventStoreSettingError when the package is missing or the other one has been loaded
 */
export const loadClient = async ({ clientPackage, forClient }: ConnectionSettings): Promise<LoadedClient> => {
  if (loaded !== undefined && loaded !== clientPackage)
    throw new EventStoreSettingError(
      `this process uses ${loaded} already, and cannot use ${clientPackage} beside it`,
    );
  loaded = clientPackage;
  if (clientPackage === 'db-client') return loadDbClient(forClient);
  try {
    return await loadKurrentDbClient(forClient);
  } catch (error) {
    throw new EventStoreSettingError(
      `kurrentdb:// needs the package @kurrent/kurrentdb-client, which cannot be loaded (${reasonOf(error)}): npm install @kurrent/kurrentdb-client, or use esdb://`,
      { cause: error },
    );
  }
};

const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? ((error as NodeJS.ErrnoException).code ?? error.message.split('\n')[0] ?? '')
    : String(error);
