import { existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { ViewDatabase, ViewStorage } from '../view-database.js';
import { insertMark } from './maintenance-statements.js';
import { change } from './queries.js';
import { createTables } from './schema.js';
import { SqliteViewDatabase } from './sqlite-view-database.js';

/** Pages that SQLite keeps of the view that serves, KiB. */
const servingCacheKib = 8_192;
/** The same while a view is being filled; given back when it begins to serve. */
const fillingCacheKib = 32_768;
/** A checkpoint syncs on the event loop: often enough to be short, seldom enough not to be felt. Pages of 4 KiB. */
const checkpointPages = 4_000;
const walBytesKept = 64 * 1_048_576;

/**
 * A view in the file that is named, the one being filled in `<file>.next` beside it; `:memory:` keeps both in
 * memory. Views can be rebuilt, so a commit does not wait for the disk: a power loss costs the newest events, which
 * are read again, never a half-written batch.
 */
export class SqliteViewStorage implements ViewStorage {
  readonly #next: string;

  constructor(private readonly file: string) {
    this.#next = file === memory ? memory : `${file}.next`;
  }

  openLive(): Promise<ViewDatabase | undefined> {
    return Promise.resolve(openExisting(this.file, servingCacheKib));
  }

  openNext(): Promise<ViewDatabase | undefined> {
    return Promise.resolve(openExisting(this.#next, fillingCacheKib));
  }

  createNext(mark: { logId: string; foldVersion: number; startedAt: string }): Promise<ViewDatabase> {
    removeFiles(this.#next);
    const database = open(this.#next, fillingCacheKib);
    createTables(database);
    change(database, insertMark)(mark);
    return Promise.resolve(new SqliteViewDatabase(database));
  }

  /** Without a pause between closing and serving: whoever reads meets the one or the other. */
  async swap(
    live: ViewDatabase | undefined,
    next: ViewDatabase,
    serve: (database: ViewDatabase) => void,
  ): Promise<void> {
    const closed: Promise<void>[] = live === undefined ? [] : [live.close()];
    if (this.file === memory) {
      serve(next);
    } else {
      closed.push(next.close());
      // Closing moved everything into the file itself; what is left beside the old one belongs to nobody.
      removeFiles(this.file);
      renameSync(this.#next, this.file);
      serve(new SqliteViewDatabase(open(this.file, servingCacheKib)));
    }
    await Promise.all(closed);
  }
}

const memory = ':memory:';

const open = (file: string, cacheKib: number): Database.Database => {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma(`cache_size = -${String(cacheKib)}`);
  database.pragma(`wal_autocheckpoint = ${String(checkpointPages)}`);
  database.pragma(`journal_size_limit = ${String(walBytesKept)}`);
  return database;
};

/** Undefined when there is no such file, or when it holds no view of this version: then one is filled anew. */
const openExisting = (file: string, cacheKib: number): ViewDatabase | undefined => {
  if (file === memory || !existsSync(file)) return undefined;
  let database: Database.Database | undefined;
  try {
    database = open(file, cacheKib);
    return new SqliteViewDatabase(database);
  } catch (error) {
    database?.close();
    if (isUnreadable(error)) return undefined;
    throw error;
  }
};

/** Not a database, damaged, or tables of another version. A disk that is full or refused is none of these. */
const isUnreadable = (error: unknown): boolean => {
  if (!(error instanceof Database.SqliteError)) return error instanceof Error;
  return /^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(error.code);
};

const removeFiles = (file: string): void => {
  if (file === memory) return;
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
};
