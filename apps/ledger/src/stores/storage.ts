import {
  openPostgresStorage,
  openSqliteStorage,
  StateUnreadableError,
  StorageSettingError,
  type Storage,
} from '#views';
import { ConfigError } from '../config/variables.js';
import { reasonOf } from '../reason.js';
import type { Setting } from './setting.js';

/** On this machine there is nothing to wait for. */
const openFiles = async ({ local, logger }: Setting): Promise<Storage> => {
  const { folder } = local;
  if (folder === undefined) throw new Error('there is no folder for views and state');
  try {
    return await openSqliteStorage({ folder, logger });
  } catch (error) {
    if (error instanceof StateUnreadableError) throw error;
    throw new Error(`the state in ${folder} cannot be opened (${reasonOf(error)})`, { cause: error });
  }
};

const openDatabase = async (url: string, { config, logger }: Setting): Promise<Storage> => {
  try {
    return await openPostgresStorage({ url, namespace: config.namespace, logger });
  } catch (error) {
    if (!(error instanceof StorageSettingError)) throw error;
    throw new ConfigError('LEDGER_VIEWS', url, error.message);
  }
};

/** A database is waited for until it comes. @throws ConfigError, StateUnreadableError: what no waiting can mend */
export const openStorage = async (setting: Setting): Promise<Storage> => {
  const { config, starting, opened } = setting;
  const { views } = config;
  if (views.kind === 'sqlite') return opened.add(await openFiles(setting));
  return opened.add(await starting.until('the database', () => openDatabase(views.url, setting)));
};
