import Database from 'better-sqlite3';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreError } from '../../errors.js';
import { sqliteCode } from './sqlite-errors.js';

/** Another process has the folder open. */
export class FolderInUseError extends EventStoreError {
  readonly code = 'folder-in-use';
  constructor(
    readonly folder: string,
    /** Process id of the holder, when it could be read. */
    readonly holder: string | undefined,
  ) {
    const who = holder === undefined ? 'another process' : `process ${holder}`;
    super(`the data folder ${folder} is in use by ${who}; stop it, or use another folder`);
  }
}

export interface FolderLock {
  release(): void;
}

const retryMilliseconds = 50;

/**
 * One process a folder. The lock is an SQLite file kept in an exclusive transaction: the operating system lets go of
 * it when the process dies, however it dies, so no restart ever finds a stale one. The pid beside it is only text.
 */
export const lockFolder = async (folder: string, waitMilliseconds: number): Promise<FolderLock> => {
  const pidFile = join(folder, 'events.pid');
  const deadline = performance.now() + waitMilliseconds;
  for (;;) {
    const lock = tryLock(join(folder, 'events.lock'));
    if (lock !== undefined) {
      writeFileSync(pidFile, `${String(process.pid)}\n`);
      return {
        release: () => {
          rmSync(pidFile, { force: true });
          lock.close();
        },
      };
    }
    if (performance.now() >= deadline) throw new FolderInUseError(folder, readPid(pidFile));
    await delay(retryMilliseconds);
  }
};

const tryLock = (file: string): Database.Database | undefined => {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') === true) return undefined;
    throw error;
  }
};

const readPid = (file: string): string | undefined => {
  try {
    return /^\d+/.exec(readFileSync(file, 'utf8'))?.[0];
  } catch {
    return undefined;
  }
};
