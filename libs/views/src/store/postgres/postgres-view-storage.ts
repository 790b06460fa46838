import { randomUUID } from 'node:crypto';
import type { LedgerLogger } from '#application';
import { StorageSettingError, ViewsUnavailableError } from '../errors.js';
import { viewTables } from '../schema/view-schema.js';
import { insertMark } from '../statements/maintenance.js';
import type { SharedTables, ViewDatabase, ViewMark, ViewStorage } from '../view-database.js';
import {
  Connections,
  type PostgresPlace,
  readConnectionsMax,
  type Queryable,
  writeConnectionsMax,
} from './connections.js';
import { isAbsent, isOtherVersion } from './errors.js';
import { PostgresViewDatabase } from './postgres-view-database.js';
import { quoted } from './queries.js';
import { PostgresSharedTables } from './shared-tables.js';
import type { Tables } from './tables.js';
import { holdReaders, readMark, type ViewSchemas, viewSchemasOf } from './view-schema.js';

/** As the server counts: 12. */
const versionMin = 120_000;

export interface PostgresViewOptions extends PostgresPlace {
  readonly logger: LedgerLogger;
}

/**
 * Views in one schema of a database, the one being filled in another one beside it. Every instance reads the same
 * tables; which of them writes is decided elsewhere, and safety does not rest on it.
 */
export class PostgresViewStorage implements ViewStorage {
  readonly shared: SharedTables;
  readonly #schemas: ViewSchemas;
  readonly #reads: Connections;
  readonly #writes: Connections;
  readonly #told: string;
  readonly #logger: LedgerLogger;
  readonly #closeShared: () => Promise<void>;

  constructor({ url, namespace, logger }: PostgresViewOptions) {
    this.#schemas = viewSchemasOf(namespace);
    this.#logger = logger;
    this.#reads = new Connections(url, { max: readConnectionsMax, name: 'reads', logger });
    this.#writes = new Connections(url, { max: writeConnectionsMax, name: 'writes', logger });
    this.#told = `notify ${quoted(this.#schemas.channel)}`;
    const shared = new PostgresSharedTables({
      ...{ url, logger, writes: this.#writes, told: this.#told },
      ...{ live: this.#schemas.live, channel: this.#schemas.channel },
    });
    this.shared = shared;
    this.#closeShared = () => shared.close();
  }

  /**
   * Whether the server answers, and is one that this program can work with.
   * @throws StorageSettingError it is not
   */
  async check(): Promise<void> {
    const { rows } = await this.#reads.run((on) =>
      on.query<{ version: number; encoding: string }>(
        `select current_setting('server_version_num')::integer as version, pg_encoding_to_char(encoding) as encoding
         from pg_database where datname = current_database()`,
      ),
    );
    const [server] = rows;
    if (server === undefined || server.version < versionMin)
      throw new StorageSettingError('PostgreSQL 12 or newer is needed');
    if (server.encoding !== 'UTF8')
      throw new StorageSettingError(`the database is encoded in ${server.encoding}: one in UTF8 is needed`);
  }

  health(): { readonly reachable: true } | { readonly reachable: false; readonly reason: string } {
    const reason = this.#reads.failure ?? this.#writes.failure;
    return reason === undefined ? { reachable: true } : { reachable: false, reason };
  }

  openLive(): Promise<ViewDatabase | undefined> {
    return this.#open(this.#schemas.live);
  }

  openNext(): Promise<ViewDatabase | undefined> {
    return this.#open(this.#schemas.next);
  }

  /** Whoever still writes into a filling that was begun earlier meets another generation, and stops. */
  async createNext(begun: { logId: string; foldVersion: number; startedAt: string }): Promise<ViewDatabase> {
    const { next } = this.#schemas;
    const generation = randomUUID();
    const mark = await this.#changing(async (on) => {
      await on.query(`drop schema if exists ${quoted(next.schema)} cascade`);
      await on.query(`create schema ${quoted(next.schema)}`);
      await on.query(
        viewTables()
          .map((table) => next.textOf(table))
          .join('; '),
      );
      await next.change(on, insertMark, { ...begun, generation });
      return readMark(on, next);
    });
    if (mark === undefined) throw new Error('view tables without a mark');
    return this.#databaseOf(next, mark);
  }

  /** Readers wait until the names have changed hands: whoever reads meets either set of tables, whole. */
  async swap(
    live: ViewDatabase | undefined,
    next: ViewDatabase,
    serve: (database: ViewDatabase) => void,
  ): Promise<void> {
    const filled = await next.mark();
    try {
      await this.#changing((on) => this.#rename(on, filled));
    } catch (error) {
      // The answer may have been lost on its way.
      if ((await this.#markOf(this.#schemas.live))?.generation !== filled.generation) throw error;
    }
    serve(this.#databaseOf(this.#schemas.live, filled));
    await Promise.all([live?.close(), next.close()]);
    await this.#dropOld();
  }

  async close(): Promise<void> {
    await this.#closeShared();
    await Promise.all([this.#reads.end(), this.#writes.end()]);
  }

  async #open(tables: Tables): Promise<ViewDatabase | undefined> {
    const mark = await this.#markOf(tables);
    return mark && this.#databaseOf(tables, mark);
  }

  #databaseOf(tables: Tables, mark: ViewMark): ViewDatabase {
    return new PostgresViewDatabase({
      ...{ tables, mark, serving: this.#schemas.live },
      ...{ reads: this.#reads, writes: this.#writes, told: this.#told },
    });
  }

  async #markOf(tables: Tables): Promise<ViewMark | undefined> {
    try {
      return await this.#reads.run((on) => readMark(on, tables));
    } catch (error) {
      if (isAbsent(error) || isOtherVersion(error)) return undefined;
      throw error;
    }
  }

  /** One process at a time creates and exchanges tables. */
  #changing<Value>(work: (on: Queryable) => Promise<Value>): Promise<Value> {
    return this.#writes.transaction('begin', async (on) => {
      await on.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [this.#schemas.channel]);
      return work(on);
    });
  }

  async #rename(on: Queryable, filled: ViewMark): Promise<void> {
    const { live, next, old } = this.#schemas;
    await on.query(`drop schema if exists ${quoted(old)} cascade`);
    await on.query(holdReaders(next));
    if ((await readMark(on, next))?.generation !== filled.generation)
      throw new ViewsUnavailableError(new Error('another instance fills the views'));
    if (await exists(on, live.schema)) {
      if (await exists(on, live.schema, 'marks')) await on.query(holdReaders(live));
      await on.query(`alter schema ${quoted(live.schema)} rename to ${quoted(old)}`);
    }
    await on.query(`alter schema ${quoted(next.schema)} rename to ${quoted(live.schema)}`);
    await on.query(this.#told);
  }

  async #dropOld(): Promise<void> {
    try {
      await this.#writes.run((on) => on.query(`drop schema if exists ${quoted(this.#schemas.old)} cascade`));
    } catch (error) {
      // The next swap does it.
      this.#logger.warn({ error: String(error) }, 'the view tables that served before could not be dropped');
    }
  }
}

const exists = async (on: Queryable, schema: string, table?: string): Promise<boolean> => {
  const { rowCount } = await on.query(
    `select 1 from information_schema.schemata where schema_name = $1
     and ($2::text is null or to_regclass(quote_ident($1) || '.' || quote_ident($2)) is not null)`,
    [schema, table ?? null],
  );
  return rowCount === 1;
};
