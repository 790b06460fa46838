import {
  type Compilable,
  DummyDriver,
  Kysely,
  type OperationNodeSource,
  type RawBuilder,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { ViewTables } from '../schema/view-tables.js';

export const dialects = ['sqlite', 'postgres'] as const;
export type Dialect = (typeof dialects)[number];

/** A query whose values are all parameters: each dialect makes its text of it once. */
export interface Statement<Row = unknown> extends Compilable<Row>, OperationNodeSource {}

/**
 * Queries are written and typed with Kysely once for both dialects, turned into text once, and run as prepared
 * statements: building a query anew would cost more than running it. The dialect named here types them, no more.
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

/** Stands in a query for a value that is given when it runs: a member of its parameters. */
export class Parameter {
  constructor(
    readonly name: string,
    readonly type: 'text' | 'integer',
  ) {}
}

/** Stands in a query where the dialects differ. */
export class PerDialect {
  constructor(readonly variants: Readonly<Record<Dialect, OperationNodeSource>>) {}
}

/** A text that is given when the statement runs: member `name` of its parameters. */
export const param = <Value extends string | null = string>(name: string): RawBuilder<Value> =>
  sql<Value>`${new Parameter(name, 'text')}`;

/** An integer that is given when the statement runs. */
export const integer = <Value extends number | null = number>(name: string): RawBuilder<Value> =>
  sql<Value>`${new Parameter(name, 'integer')}`;

export const perDialect = <Value>(
  variants: Readonly<Record<Dialect, OperationNodeSource>>,
): RawBuilder<Value> => sql<Value>`${new PerDialect(variants)}`;

/** A limit that is given when the statement runs. SQLite plans anew at every run where it finds a bare parameter here. */
export const atMost = (name: string): RawBuilder<number> =>
  perDialect<number>({ sqlite: sql`cast(${integer(name)} as integer)`, postgres: integer(name) });

/** A column that SQLite's planner, which has no statistics, is not to look for in an index. */
export const unindexed = (column: OperationNodeSource): RawBuilder<unknown> =>
  perDialect({ sqlite: sql`+${column}`, postgres: sql`${column}` });
