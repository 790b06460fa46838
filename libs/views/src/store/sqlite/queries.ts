import type Database from 'better-sqlite3';
import {
  type Compilable,
  DummyDriver,
  Kysely,
  type RawBuilder,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { ViewTables } from './tables.js';

/**
 * Queries are written and typed with Kysely, turned into text once, and run as prepared statements: building a
 * query anew would cost more than running it.
 */
export const queriesOver = <Tables>(): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });

export const kysely = queriesOver<ViewTables>();

/** A value that is given when the statement runs: member `name` of its parameters. */
export const param = <Value>(name: string): RawBuilder<Value> => sql<Value>`${sql.raw(`@${name}`)}`;

/** A limit that is given when the statement runs. SQLite plans anew at every run where it finds a bare parameter here. */
export const atMost = (name: string): RawBuilder<number> =>
  sql<number>`cast(${param<number>(name)} as integer)`;

/** The text of a query whose values are all {@link param}s. */
export const textOf = (query: Compilable): string => {
  const { sql: text, parameters } = query.compile();
  if (parameters.length > 0) throw new Error(`a value stands in a prepared query: ${text}`);
  return text;
};

/** A statement that answers rows. */
export interface Rows<Parameters, Row> {
  all(parameters: Parameters): Row[];
  get(parameters: Parameters): Row | undefined;
}

/** A statement that changes rows; answers how many. */
export type Change<Parameters> = (parameters: Parameters) => number;

export const rows = <Parameters extends object, Row = unknown>(
  database: Database.Database,
  query: Compilable<Row>,
): Rows<Parameters, Row> => {
  const statement = database.prepare<[Parameters], Row>(textOf(query));
  return {
    all: (parameters) => statement.all(parameters),
    get: (parameters) => statement.get(parameters),
  };
};

export const change = <Parameters extends object>(
  database: Database.Database,
  query: Compilable,
): Change<Parameters> => {
  const statement = database.prepare<[Parameters]>(textOf(query));
  return (parameters) => statement.run(parameters).changes;
};
