import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '#application';
import { type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import { PostgresViewStorage, SqliteViewStorage, type ViewStorage } from '../src/store/index.js';

/** The views of one ledger, wherever they are kept, and how a process opens them: again, or beside another one. */
export interface ViewPlace {
  open(): OpenPlace;
  /** Statements behind the back of whoever serves from there, with the schema or the file of the tables that serve. */
  change(text: (tables: string) => string): Promise<void>;
  /** Takes everything away again. */
  remove(): Promise<void>;
}

export interface OpenPlace {
  readonly storage: ViewStorage;
  close(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

export const sqlitePlace = (file: string, remove = nothing): ViewPlace => ({
  open: () => ({ storage: new SqliteViewStorage(file), close: nothing }),
  change: async (text) => {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(file);
    database.exec(text('main'));
    database.close();
  },
  remove,
});

export const memoryPlace = (): ViewPlace => sqlitePlace(':memory:');

/** Views that a test opens again. */
export const fileInFolder = (): ViewPlace => {
  const folder = mkdtempSync(join(tmpdir(), 'views-'));
  return sqlitePlace(join(folder, 'views.db'), async () => {
    rmSync(folder, { recursive: true, force: true });
  });
};

export const postgresPlace = (database: TestDatabase, namespace: string): ViewPlace => ({
  open: () => {
    const storage = new PostgresViewStorage({ url: database.url, namespace, logger: silentLogger });
    return { storage, close: () => storage.close() };
  },
  change: async (text) => {
    await database.query(text(`${namespace}_views`));
  },
  remove: nothing,
});

/**
 * What must hold wherever views are kept. `place`: another one at every call; the PostgreSQL ones are side by side in
 * one database, under their own namespaces. `isInProcess`: a call costs microseconds.
 */
export const overEveryPlace = (
  title: string,
  specs: (place: () => ViewPlace, isInProcess: boolean) => void,
  inSqlite: () => ViewPlace = memoryPlace,
): void => {
  describe(`${title} (SQLite)`, () => {
    specs(inSqlite, true);
  });
  describe(`${title} (PostgreSQL)`, () => {
    let postgres: TestPostgres | undefined;
    let database: TestDatabase | undefined;
    let namespaces = 0;
    beforeAll(async () => {
      postgres = await usePostgres();
      database = await postgres.database();
    }, 60_000);
    afterAll(async () => {
      await database?.drop();
      await postgres?.stop();
    });
    specs(() => {
      if (database === undefined) throw new Error('there is no database');
      namespaces += 1;
      return postgresPlace(database, `place${String(namespaces)}`);
    }, false);
  });
};
