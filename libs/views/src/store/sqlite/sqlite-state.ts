import Database from 'better-sqlite3';
import { type State, StateUnreadableError } from '../../state/state.js';
import { stateApplication, stateMigrations, stateVersion } from '../schema/state-schema.js';
import { textOf } from './queries.js';
import { type OnFile, SqliteSagaState } from './sqlite-saga-state.js';

/** How long a write waits for another process that has the file. Milliseconds. */
const busyMs = 2_000;
const walBytesKept = 4 * 1_048_576;

/** A commit is on the disk when it returns: what stands here stands nowhere else. */
const configure = (database: Database.Database): void => {
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma(`journal_size_limit = ${String(walBytesKept)}`);
};

const isEmpty = (database: Database.Database): boolean =>
  database.prepare<[]>('select 1 from sqlite_schema limit 1').get() === undefined;

/**
 * Tables and header in one transaction: a file has all of it, or is as good as new. Answers whether it began
 * here; somebody else may have been first.
 */
const migrate = (database: Database.Database): boolean =>
  database
    .transaction(() => {
      const version = header(database, 'user_version');
      if (version >= stateVersion) return false;
      for (const statement of stateMigrations.slice(version).flat()) database.exec(textOf(statement));
      database.pragma(`application_id = ${String(stateApplication)}`);
      database.pragma(`user_version = ${String(stateVersion)}`);
      return version === 0;
    })
    .immediate();

/** By its code: the driver's own class of errors is one a process, and so not always the one at hand. */
const isDamage = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  /^SQLITE_(NOTADB|CORRUPT)/.test(String(error.code));

/** What is wrong with a file, under its name; a full disk or a locked file is thrown as it came. */
const named = (file: string, error: unknown): Error => {
  const cause = error instanceof Error ? error : new Error(String(error));
  return isDamage(error)
    ? new StateUnreadableError(file, `is damaged (${cause.message}): put back a backup of it`, { cause })
    : cause;
};

const header = (database: Database.Database, field: 'application_id' | 'user_version'): number =>
  Number(database.pragma(field, { simple: true }));

/** The file belongs to us and is whole. Small enough to be looked through. */
const mustBeReadable = (database: Database.Database, file: string): void => {
  const version = header(database, 'user_version');
  if (header(database, 'application_id') !== stateApplication)
    throw new StateUnreadableError(file, 'is no state of a ledger: name another file');
  if (version > stateVersion)
    throw new StateUnreadableError(
      file,
      `is of version ${String(version)}, newer than this program (${String(stateVersion)})`,
    );
  const check = String(database.pragma('quick_check(1)', { simple: true }));
  if (check !== 'ok') throw new StateUnreadableError(file, `is damaged (${check}): put back a backup of it`);
};

class SqliteState implements State {
  readonly saga: SqliteSagaState;

  constructor(
    private readonly database: Database.Database,
    file: string,
  ) {
    const onFile: OnFile = (call) =>
      Promise.resolve()
        .then(call)
        .catch((error: unknown) => {
          throw named(file, error);
        });
    this.saga = new SqliteSagaState(database, onFile);
  }

  close(): Promise<void> {
    return Promise.resolve().then(() => {
      this.database.close();
    });
  }
}

/** @throws StateUnreadableError damaged, of a newer version, or not a state at all */
export const openSqliteState = (file: string): { readonly state: State; readonly isNew: boolean } => {
  const database = new Database(file, { timeout: busyMs });
  try {
    // Looked at before anything is written: what is not ours is left as it is.
    if (!isEmpty(database)) mustBeReadable(database, file);
    configure(database);
    const isNew = header(database, 'user_version') < stateVersion && migrate(database);
    return { state: new SqliteState(database, file), isNew };
  } catch (error) {
    database.close();
    throw named(file, error);
  }
};
