import type Database from 'better-sqlite3';
import { createQueryId, type RootOperationNode, SqliteQueryCompiler } from 'kysely';
import { Parameter, PerDialect, type Statement } from '../statements/queries.js';

class Compiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value instanceof Parameter) this.append(`@${value.name}`);
    else if (value instanceof PerDialect) this.visitNode(value.variants.sqlite.toOperationNode());
    else throw new Error('a value stands in a prepared query');
  }
}

/** The text of a query for SQLite. */
export const textOf = (query: Statement): string =>
  new Compiler().compileQuery(query.toOperationNode() as RootOperationNode, createQueryId()).sql;

/** A statement that answers rows. */
export interface Rows<Parameters, Row> {
  all(parameters: Parameters): Row[];
  get(parameters: Parameters): Row | undefined;
}

/** A statement that changes rows; answers how many. */
export type Change<Parameters> = (parameters: Parameters) => number;

export const rows = <Parameters extends object, Row = unknown>(
  database: Database.Database,
  query: Statement<Row>,
): Rows<Parameters, Row> => {
  const statement = database.prepare<[Parameters], Row>(textOf(query));
  return {
    all: (parameters) => statement.all(parameters),
    get: (parameters) => statement.get(parameters),
  };
};

export const change = <Parameters extends object>(
  database: Database.Database,
  query: Statement,
): Change<Parameters> => {
  const statement = database.prepare<[Parameters]>(textOf(query));
  return (parameters) => statement.run(parameters).changes;
};
