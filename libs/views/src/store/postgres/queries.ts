import {
  createQueryId,
  DeleteQueryNode,
  FromNode,
  InsertQueryNode,
  type OperationNode,
  PostgresQueryCompiler,
  type RootOperationNode,
  type SchemableIdentifierNode,
  SelectQueryNode,
  sql,
  UpdateQueryNode,
  UsingNode,
  ValueListNode,
  ValuesNode,
} from 'kysely';
import { Parameter, PerDialect, type Statement } from '../statements/queries.js';

const typeOf = { text: 'text', integer: 'bigint' } as const;

/** Texts are ordered by their bytes, as in SQLite; integers are as wide. */
const columnTypes: Readonly<Record<string, string>> = { text: 'text collate "C"', integer: 'bigint' };

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Makes texts for the tables of one schema. */
class Compiler extends PostgresQueryCompiler {
  /** In the order of their numbers. */
  readonly parameters: Parameter[] = [];

  constructor(
    private readonly schema: string,
    private readonly tables: ReadonlySet<string>,
    private readonly isForEach: boolean,
  ) {
    super();
  }

  protected override appendValue(value: unknown): void {
    if (value instanceof PerDialect) this.visitNode(value.variants.postgres.toOperationNode());
    else if (value instanceof Parameter) this.append(this.#reference(value));
    else throw new Error('a value stands in a prepared query');
  }

  #reference(parameter: Parameter): string {
    const { name, type } = parameter;
    if (this.isForEach) return `given.${givenName(parameter)}`;
    const known = this.parameters.findIndex((other) => other.name === name);
    const index = known < 0 ? this.parameters.push(parameter) : known + 1;
    return `$${String(index)}::${typeOf[type]}`;
  }

  protected override visitSchemableIdentifier(node: SchemableIdentifierNode): void {
    if (node.schema === undefined && this.tables.has(node.identifier.name))
      this.append(`${quoted(this.schema)}.`);
    super.visitSchemableIdentifier(node);
  }

  protected override visitDataType(node: Parameters<PostgresQueryCompiler['visitDataType']>[0]): void {
    this.append(columnTypes[node.dataType] ?? node.dataType);
  }
}

/** Apart from every column's name. */
const givenName = ({ name }: Parameter): string => quoted(`p_${name}`);

/** Parameters of many runs of a statement, as rows, in the order in which they were given. */
const givenRows = (parameters: readonly Parameter[]): OperationNode => {
  const arrays = parameters.map(({ type }, index) => `$${String(index + 1)}::${typeOf[type]}[]`);
  const names = [...parameters.map(givenName), 'number'];
  return sql
    .raw(`unnest(${arrays.join(', ')}) with ordinality as given(${names.join(', ')})`)
    .toOperationNode();
};

const withFrom = <Node extends SelectQueryNode | UpdateQueryNode>(
  node: Node,
  given: OperationNode,
): Node => ({
  ...node,
  from: FromNode.create([...(node.from?.froms ?? []), given]),
});

const source = (node: OperationNode) => ({ toOperationNode: () => node });

const insertEach = (node: InsertQueryNode, given: OperationNode): InsertQueryNode => {
  const { values } = node;
  if (values !== undefined && SelectQueryNode.is(values)) return { ...node, values: withFrom(values, given) };
  const list = values !== undefined && ValuesNode.is(values) ? values.values[0] : undefined;
  if (list === undefined || !ValueListNode.is(list)) throw new Error('rows of one kind of value alone');
  const columns = sql.join(list.values.map((value) => sql`${source(value)}`));
  return { ...node, values: sql`select ${columns} from ${source(given)}`.toOperationNode() };
};

/** The same statement for many parameters at once; of a query at most one row for each of them, with its number. */
const forEach = (node: OperationNode, given: OperationNode): OperationNode => {
  if (InsertQueryNode.is(node)) return insertEach(node, given);
  if (UpdateQueryNode.is(node)) return withFrom(node, given);
  if (DeleteQueryNode.is(node)) return { ...node, using: UsingNode.create([given]) } as DeleteQueryNode;
  return sql`select found.*, given.number from ${source(given)} cross join lateral ${source(node)} as found`.toOperationNode();
};

export interface Text {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** The tables of one schema, and the texts of statements over them, each made once as long as the statement is kept. */
export class SchemaTexts {
  readonly #single = new WeakMap<Statement, Text>();
  readonly #each = new WeakMap<Statement, Text>();

  constructor(
    readonly schema: string,
    private readonly tables: ReadonlySet<string>,
  ) {}

  of(statement: Statement): Text {
    return kept(this.#single, statement, () => this.#compile(statement.toOperationNode()));
  }

  /** For many parameters at once: one array for each of the statement's parameters. */
  forEach(statement: Statement): Text {
    return kept(this.#each, statement, () => {
      const { parameters } = this.of(statement);
      const node = forEach(statement.toOperationNode(), givenRows(parameters));
      return { text: this.#compile(node, true).text, parameters };
    });
  }

  #compile(node: OperationNode, isForEach = false): Text {
    const compiler = new Compiler(this.schema, this.tables, isForEach);
    const { sql: text } = compiler.compileQuery(node as RootOperationNode, createQueryId());
    return { text, parameters: compiler.parameters };
  }
}

const kept = (texts: WeakMap<Statement, Text>, statement: Statement, make: () => Text): Text => {
  const known = texts.get(statement);
  if (known !== undefined) return known;
  const made = make();
  texts.set(statement, made);
  return made;
};
