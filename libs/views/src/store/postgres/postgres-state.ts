import type { LedgerLogger } from '#application';
import { type State, StateUnreadableError } from '../../state/state.js';
import { stateMigrations, stateVersion } from '../schema/state-schema.js';
import { Connections, type PostgresPlace, placeName, type Queryable, schemaOf } from './connections.js';
import { PostgresSagaState } from './postgres-saga-state.js';
import { quoted } from './queries.js';
import { Tables } from './tables.js';

/** The saga's runner, and one that is about to take its place. */
const stateConnectionsMax = 2;

const stateTableNames: ReadonlySet<string> = new Set(['checkpoints', 'triggers']);

/** Which migrations the tables have seen: rows with their numbers, from 1. */
const migrationsTable = 'migrations';

class PostgresState implements State {
  readonly saga: PostgresSagaState;

  constructor(
    tables: Tables,
    private readonly connections: Connections,
  ) {
    this.saga = new PostgresSagaState(tables, connections);
  }

  close(): Promise<void> {
    return this.connections.end();
  }
}

/** Begins the schema, or brings it up; one process at a time. Answers whether it began here. */
const migrate = async (on: Queryable, tables: Tables, place: string): Promise<boolean> => {
  const schema = quoted(tables.schema);
  const migrations = `${schema}.${migrationsTable}`;
  await on.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [tables.schema]);
  const version = await versionOf(on, tables, place);
  if (version >= stateVersion) return false;
  if (version === 0) {
    await on.query(`create schema if not exists ${schema}`);
    await on.query(`create table ${migrations} (version integer primary key)`);
  }
  for (const [index, statements] of stateMigrations.entries()) {
    if (index < version) continue;
    for (const statement of statements) await on.query(tables.textOf(statement));
    await on.query(`insert into ${migrations} values ($1)`, [index + 1]);
  }
  return version === 0;
};

/** 0 where there is nothing yet. */
const versionOf = async (on: Queryable, { schema }: Tables, place: string): Promise<number> => {
  const { rows } = await on.query<{ name: string }>(
    'select table_name as name from information_schema.tables where table_schema = $1',
    [schema],
  );
  if (rows.length === 0) return 0;
  if (!rows.some(({ name }) => name === migrationsTable))
    throw new StateUnreadableError(place, 'is no state of a ledger: take another namespace');
  const migrations = `${quoted(schema)}.${migrationsTable}`;
  const found = await on.query<{ version: number | null }>(
    `select max(version) as version from ${migrations}`,
  );
  const version = found.rows[0]?.version ?? 0;
  if (version > stateVersion)
    throw new StateUnreadableError(
      place,
      `is of version ${String(version)}, newer than this program (${String(stateVersion)})`,
    );
  return version;
};

/** @throws StateUnreadableError of a newer version, or not a state at all */
export const openPostgresState = async (
  { url, namespace }: PostgresPlace,
  logger: LedgerLogger,
): Promise<{ readonly state: State; readonly isNew: boolean }> => {
  const schema = schemaOf(namespace, 'state');
  const tables = new Tables(schema, stateTableNames);
  const connections = new Connections(url, { max: stateConnectionsMax, name: 'state', logger });
  try {
    const place = `schema ${schema} of ${placeName(url)}`;
    const isNew = await connections.transaction('begin', (on) => migrate(on, tables, place));
    return { state: new PostgresState(tables, connections), isNew };
  } catch (error) {
    await connections.end();
    throw error;
  }
};
