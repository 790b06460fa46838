import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { ViewDatabase, ViewStorage } from '../view-database.js';
import { insertMark } from '../statements/maintenance.js';
import { change, textOf } from './queries.js';
import { viewTables } from '../schema/view-schema.js';
import { SqliteViewDatabase } from './sqlite-view-database.js';

/** Pages that SQLite keeps of the view that serves, KiB: a page of a list touches a hundred, far apart. */
const servingCacheKib = 16_384;
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
    change(database, insertMark)({ ...mark, generation: randomUUID() });
    return Promise.resolve(new SqliteViewDatabase(database));
  }

  /** Without a pause between one and the other: whoever reads meets either of them, whole. */
  async swap(
    live: ViewDatabase | undefined,
    next: ViewDatabase,
    serve: (database: ViewDatabase) => void,
  ): Promise<void> {
    if (this.file === memory) {
      serve(next);
    } else {
      this.#rename(live, next);
      await next.close();
      serve(new SqliteViewDatabase(open(this.file, servingCacheKib)));
    }
    await live?.close();
  }

  /** Each in one file while the name changes hands, for what SQLite keeps beside a file is found by its name. */
  #rename(live: ViewDatabase | undefined, next: ViewDatabase): void {
    const both = [live, next].filter((database) => database instanceof SqliteViewDatabase);
    try {
      for (const database of both) database.keepInOneFile();
      if (live === undefined) removeFiles(this.file);
      renameSync(this.#next, this.file);
    } catch (error) {
      for (const database of both) database.keepLogBeside();
      throw error;
    }
  }
}

const memory = ':memory:';

const createTables = (database: Database.Database): void => {
  database.transaction(() => {
    for (const table of viewTables()) database.exec(textOf(table));
  })();
};

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
