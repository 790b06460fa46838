import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Statement } from '../statements/queries.js';
import type { Queryable } from './connections.js';
import { SchemaTexts, type Text } from './queries.js';
import { writtenValue } from './values.js';

/** Parameters that one statement is given at once, and about how much text of them. */
const eachMax = 1_000;
const eachLengthMax = 8 * 1_048_576;
/** Statements that a connection keeps prepared; there are more combinations of filters than are ever asked for. */
const preparedMax = 256;

type Values = Readonly<Record<string, unknown>>;

/** Runs statements over the tables of one schema. */
export class Tables {
  readonly #texts: SchemaTexts;
  readonly #names = new Map<string, string>();

  constructor(
    readonly schema: string,
    names: ReadonlySet<string>,
  ) {
    this.#texts = new SchemaTexts(schema, names);
  }

  async all<Row>(on: Queryable, statement: Statement<Row>, parameters: object = {}): Promise<Row[]> {
    const text = this.#texts.of(statement);
    const values = text.parameters.map(({ name }) => writtenValue((parameters as Values)[name]));
    return (await on.query<Row & pg.QueryResultRow>(this.#query(text, values))).rows;
  }

  async get<Row>(
    on: Queryable,
    statement: Statement<Row>,
    parameters: object = {},
  ): Promise<Row | undefined> {
    return (await this.all(on, statement, parameters))[0];
  }

  /** Answers how many rows were changed. */
  async change(on: Queryable, statement: Statement, parameters: object = {}): Promise<number> {
    const text = this.#texts.of(statement);
    const values = text.parameters.map(({ name }) => writtenValue((parameters as Values)[name]));
    return (await on.query(this.#query(text, values))).rowCount ?? 0;
  }

  /** The row for each of the parameters, in their order; of a statement that answers one row at most. */
  async getEach<Row>(
    on: Queryable,
    statement: Statement<Row>,
    parameters: readonly object[],
  ): Promise<(Row | undefined)[]> {
    const found: (Row | undefined)[] = parameters.map(() => undefined);
    let before = 0;
    for (const some of portions(parameters)) {
      const query = this.#queryEach(statement, some);
      const { rows } = await on.query<Row & { number: number } & pg.QueryResultRow>(query);
      for (const row of rows) found[before + row.number - 1] = row;
      before += some.length;
    }
    return found;
  }

  /** As {@link change} once for each of the parameters, which no two times change the same row differently. */
  async changeEach(on: Queryable, statement: Statement, parameters: readonly object[]): Promise<number> {
    let changed = 0;
    for (const some of portions(parameters))
      changed += (await on.query(this.#queryEach(statement, some))).rowCount ?? 0;
    return changed;
  }

  /** A statement as it is, of a schema or a maintenance. */
  textOf(statement: Statement): string {
    return this.#texts.of(statement).text;
  }

  #queryEach(statement: Statement, some: readonly object[]): pg.QueryConfig {
    const text = this.#texts.forEach(statement);
    const values = text.parameters.map(({ name }) =>
      some.map((parameters) => writtenValue((parameters as Values)[name])),
    );
    return this.#query(text, values);
  }

  #query({ text }: Text, values: unknown[]): pg.QueryConfig {
    const name = this.#nameOf(text);
    return { text, values, ...(name !== undefined && { name }) };
  }

  /** The same text has the same name on every connection. */
  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= preparedMax) return known;
    const name = createHash('sha256').update(text).digest('base64url');
    this.#names.set(text, name);
    return name;
  }
}

const lengthOf = (parameters: object): number =>
  Object.values(parameters).reduce<number>(
    (length, value) => length + (typeof value === 'string' ? value.length : 8),
    0,
  );

/** Cut where one message would become too long for the server or for memory. */
function* portions(parameters: readonly object[]): Generator<readonly object[]> {
  let some: object[] = [];
  let length = 0;
  for (const given of parameters) {
    some.push(given);
    length += lengthOf(given);
    if (some.length < eachMax && length < eachLengthMax) continue;
    yield some;
    some = [];
    length = 0;
  }
  if (some.length > 0) yield some;
}
