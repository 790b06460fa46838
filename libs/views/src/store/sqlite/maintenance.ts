import type Database from 'better-sqlite3';
import { change, rows, textOf } from './queries.js';
import * as statements from '../statements/maintenance.js';
import { viewIndexes } from '../schema/view-schema.js';

/** What is done to a view beside its events: closed versions thrown away, a filling completed. */
export class Maintenance {
  readonly #newestToPurge;
  readonly #purgeVersions;
  readonly #purgeChunks;
  readonly #rememberPurge;
  readonly #distrust;
  readonly #purge: (closedBefore: number, limit: number) => number;

  constructor(private readonly database: Database.Database) {
    this.#newestToPurge = rows<{ closedBefore: number; limit: number }, { end: string | null }>(
      database,
      statements.newestToPurge,
    );
    this.#purgeVersions = change<{ end: string }>(database, statements.purgeVersions);
    this.#purgeChunks = change<{ end: string }>(database, statements.purgeChunks);
    this.#rememberPurge = change<{ end: string }>(database, statements.rememberPurge);
    this.#distrust = change<{ taskId: string; detail: string }>(database, statements.insertDistrusted);
    this.#purge = database.transaction((closedBefore: number, limit: number) =>
      this.#purgeAll(closedBefore, limit),
    );
  }

  purge(closedBefore: number, limit: number): number {
    return this.#purge(closedBefore, limit);
  }

  distrust(taskId: string, detail: string): void {
    this.#distrust({ taskId, detail });
  }

  /** Each step is one transaction and may be done again: a completion that was cut begins anew. */
  completion(): readonly (() => void)[] {
    const indexes = viewIndexes().map((index) => () => {
      this.database.exec(textOf(index));
    });
    return [...indexes, this.#inTransaction(this.#setRoots), this.#inTransaction(this.#countAll), this.#end];
  }

  #purgeAll(closedBefore: number, limit: number): number {
    const end = this.#newestToPurge.get({ closedBefore, limit })?.end;
    if (end === undefined || end === null) return 0;
    const purged = this.#purgeVersions({ end });
    this.#purgeChunks({ end });
    this.#rememberPurge({ end });
    return purged;
  }

  readonly #setRoots = (): void => {
    const parents = this.database.prepare(textOf(statements.someParent)).get();
    if (parents !== undefined) this.database.exec(textOf(statements.setAllRoots));
  };

  readonly #countAll = (): void => {
    this.database.exec(textOf(statements.clearCounters));
    for (const query of statements.countAll) this.database.exec(textOf(query));
  };

  readonly #end = (): void => {
    this.database.exec(textOf(statements.endBuilding));
  };

  #inTransaction(step: () => void): () => void {
    return this.database.transaction(step);
  }
}
