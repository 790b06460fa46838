import pg from 'pg';
import {
  clientConfig,
  placeName,
  type PostgresPlace,
  schemaOf as schemaFor,
} from '../postgres/connections.js';
import { quoted } from '../postgres/queries.js';

/** A row of the state as PostgreSQL writes it: no number passes through JavaScript. */
export interface StateRow {
  readonly table: string;
  /** JSON text. */
  readonly row: string;
}

/** Rows of one answer of the server. */
const rowsAtOnce = 1_000;
/** Which migrations these tables have seen; made by whoever opens the state. */
const migrationsTable = 'migrations';

const schemaOf = ({ namespace }: PostgresPlace): string => schemaFor(namespace, 'state');

const connect = async ({ url }: PostgresPlace): Promise<pg.Client> => {
  const client = new pg.Client({ ...clientConfig(url), application_name: 'ledger backup' });
  // A connection that breaks makes the call under way fail; that is told once.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw new Error(`${placeName(url)} cannot be entered: ${String(error)}`, { cause: error });
  });
  return client;
};

const connected = async <Value>(
  place: PostgresPlace,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> => {
  const client = await connect(place);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const tablesOf = async (client: pg.Client, schema: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_type = 'BASE TABLE' AND table_name <> $2 ORDER BY table_name`,
    [schema, migrationsTable],
  );
  return rows.map(({ name }) => name);
};

/** Every row of a table, a piece at a time, by a cursor of the transaction that is open. */
async function* rowsOf(client: pg.Client, schema: string, table: string): AsyncGenerator<string> {
  await client.query(
    `DECLARE every_row CURSOR FOR SELECT row_to_json(stored)::text AS row FROM ${quoted(schema)}.${quoted(table)} AS stored`,
  );
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${String(rowsAtOnce)} FROM every_row`);
    for (const { row } of rows) yield row;
    if (rows.length < rowsAtOnce) break;
  }
  await client.query('CLOSE every_row');
}

/**
 * Every row of the state as it is at one moment, while it is written.
 * @throws Error there is no state under this namespace
 */
export async function* readPostgresState(place: PostgresPlace): AsyncGenerator<StateRow> {
  const client = await connect(place);
  try {
    const schema = schemaOf(place);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const tables = await tablesOf(client, schema);
    if (tables.length === 0) throw new Error(`there is no schema ${schema} with a state`);
    for (const table of tables) for await (const row of rowsOf(client, schema, table)) yield { table, row };
  } finally {
    await client.end();
  }
}

/** Whether somebody's state stands in the tables already. */
export const isPostgresStateEmpty = (place: PostgresPlace): Promise<boolean> =>
  connected(place, async (client) => {
    const schema = schemaOf(place);
    for (const table of await tablesOf(client, schema)) {
      const { rowCount } = await client.query(`SELECT 1 FROM ${quoted(schema)}.${quoted(table)} LIMIT 1`);
      if (rowCount !== 0) return false;
    }
    return true;
  });

/**
 * Puts rows into the tables of a state that was just begun, all of them or none.
 * @throws Error the state is not empty, or a table of the rows is not in it
 */
export const writePostgresState = (place: PostgresPlace, rows: AsyncIterable<StateRow>): Promise<void> =>
  connected(place, async (client) => {
    const schema = schemaOf(place);
    await client.query('BEGIN');
    const tables = await tablesOf(client, schema);
    for (const table of tables) await mustBeEmpty(client, schema, table);
    for await (const { table, row } of rows) {
      if (!tables.includes(table)) throw new Error(`the state has no table ${table}`);
      const name = `${quoted(schema)}.${quoted(table)}`;
      await client.query(`INSERT INTO ${name} SELECT * FROM json_populate_record(null::${name}, $1::json)`, [
        row,
      ]);
    }
    await client.query('COMMIT');
  });

/** Locked until the rows stand: a ledger that starts meanwhile waits. */
const mustBeEmpty = async (client: pg.Client, schema: string, table: string): Promise<void> => {
  const name = `${quoted(schema)}.${quoted(table)}`;
  await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  const { rowCount } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
  if (rowCount !== 0) throw new Error(`the schema ${schema} holds a state already (${table})`);
};
