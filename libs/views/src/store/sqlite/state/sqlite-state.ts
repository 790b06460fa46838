import Database from 'better-sqlite3';
import { type State, StateUnreadableError } from '../../../state/state.js';
import { createStateTables, isEmpty, stateApplication, stateVersion } from './schema.js';
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
    const begins = isEmpty(database);
    if (!begins) mustBeReadable(database, file);
    configure(database);
    const isNew = begins && createStateTables(database);
    return { state: new SqliteState(database, file), isNew };
  } catch (error) {
    database.close();
    throw named(file, error);
  }
};
