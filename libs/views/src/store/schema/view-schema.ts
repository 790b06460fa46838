import { type CreateTableBuilder, sql } from 'kysely';
import { kysely, perDialect, type Statement } from '../statements/queries.js';

/** Tables of another version are not read: the view is filled again from the log. */
export const schemaVersion = 3;

type Table = CreateTableBuilder<string, string>;

const { schema } = kysely;

/** A table in the order of its key, for small rows. */
const clustered = (table: Table): Table =>
  table.modifyEnd(perDialect({ sqlite: sql`without rowid`, postgres: sql`` }));

/** A key that the database gives out. */
const numbered = perDialect<number>({
  sqlite: sql`integer`,
  postgres: sql`bigint generated always as identity`,
});

const versioned = (table: Table): Table =>
  table
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('context_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('stopped_by', 'text')
    .addColumn('status_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('parent_id', 'text')
    .addColumn('root_id', 'text')
    .addColumn('link', 'text')
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('valid_from', 'text', (column) => column.notNull())
    .addColumn('fold', 'text', (column) => column.notNull())
    .addColumn('heading', 'text');

const taskTables = (): Statement[] => [
  versioned(schema.createTable('tasks').addColumn('task_key', 'integer', (column) => column.primaryKey())),
  schema.createIndex('tasks_by_id').unique().on('tasks').column('task_id'),
  versioned(
    schema
      .createTable('closed_versions')
      .addColumn('version', numbered, (column) => column.primaryKey())
      .addColumn('task_key', 'integer', (column) => column.notNull()),
  )
    .addColumn('valid_to', 'text', (column) => column.notNull())
    .addColumn('closed_at', 'integer', (column) => column.notNull()),
  schema.createIndex('closed_versions_by_end').on('closed_versions').columns(['valid_to', 'tenant']),
  clustered(
    schema
      .createTable('counters')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('tenant', 'text', (column) => column.notNull())
      .addColumn('context_id', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('tasks', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('counters_key', ['kind', 'tenant', 'context_id', 'owner']),
  ),
];

const contentTables = (): Statement[] => [
  schema
    .createTable('messages')
    .addColumn('place', 'integer', (column) => column.primaryKey())
    .addColumn('message', 'text', (column) => column.notNull()),
  schema
    .createTable('chunks')
    .addColumn('place', 'integer', (column) => column.primaryKey())
    .addColumn('artifact_id', 'text', (column) => column.notNull())
    .addColumn('append', 'integer', (column) => column.notNull())
    .addColumn('artifact', 'text', (column) => column.notNull())
    .addColumn('replaced_at', 'text'),
  schema
    .createIndex('chunks_replaced')
    .on('chunks')
    .column('replaced_at')
    .where('replaced_at', 'is not', sql`null`),
  schema
    .createTable('commands')
    .addColumn('place', 'integer', (column) => column.primaryKey())
    .addColumn('command_id', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull()),
];

const linkTables = (): Statement[] => [
  clustered(
    schema
      .createTable('links')
      .addColumn('parent_id', 'text', (column) => column.notNull())
      .addColumn('child_id', 'text', (column) => column.notNull())
      .addColumn('policy', 'text', (column) => column.notNull())
      .addColumn('on_end', 'text', (column) => column.notNull())
      .addColumn('grace_ms', 'integer')
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('late', 'integer', (column) => column.notNull())
      .addColumn('position', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('links_key', ['parent_id', 'late', 'child_id']),
  ),
];

const cancellationTables = (): Statement[] => [
  clustered(
    schema
      .createTable('timers')
      .addColumn('task_key', 'integer', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text', (column) => column.notNull())
      .addColumn('due_at', 'integer', (column) => column.notNull())
      .addColumn('cancellation_id', 'text')
      .addPrimaryKeyConstraint('timers_key', ['task_key', 'kind']),
  ),
  schema
    .createTable('cancellations')
    .addColumn('cancellation_id', 'text', (column) => column.primaryKey())
    .addColumn('root_task_id', 'text', (column) => column.notNull())
    .addColumn('root_revision', 'integer')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('settled_at', 'text')
    .addColumn('confirmed_at', 'text')
    .addColumn('descendants_only', 'integer', (column) => column.notNull())
    .addColumn('parent_ended', 'integer', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('position', 'text', (column) => column.notNull()),
];

const ownTables = (): Statement[] => [
  schema
    .createTable('marks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('position', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('log_id', 'text', (column) => column.notNull())
    .addColumn('fold_version', 'integer', (column) => column.notNull())
    .addColumn('schema_version', 'integer', (column) => column.notNull())
    .addColumn('purged', 'text', (column) => column.notNull())
    .addColumn('building', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('handled', 'integer', (column) => column.notNull())
    .addColumn('generation', 'text', (column) => column.notNull())
    .addColumn('rebuild_asked', 'integer', (column) => column.notNull()),
  schema
    .createTable('set_aside')
    .addColumn('position', 'text', (column) => column.primaryKey())
    .addColumn('stream', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('error', 'text', (column) => column.notNull()),
  schema
    .createTable('distrusted')
    .addColumn('task_id', 'text', (column) => column.primaryKey())
    .addColumn('detail', 'text', (column) => column.notNull()),
];

const newestFirst = sql`status_at desc`;

/** So that SQLite counts a context of an owner in the index. PostgreSQL holds no line of four ids of the longest. */
const ownerAsWell = perDialect({ sqlite: sql`, owner`, postgres: sql`` });

/** Built when a view has been filled: an index that is kept while filling costs many times more. */
const listIndexes = (): Statement[] => [
  listIndex('tasks_by_tenant').expression(sql`tenant, ${newestFirst}, task_id`),
  listIndex('tasks_by_owner').expression(sql`tenant, owner, ${newestFirst}, task_id`),
  listIndex('tasks_by_context').expression(sql`tenant, context_id, ${newestFirst}, task_id${ownerAsWell}`),
  listIndex('tasks_by_status').expression(sql`tenant, status, ${newestFirst}, task_id, state`),
  listIndex('tasks_by_update').columns(['tenant', 'updated_at']),
  listIndex('tasks_by_parent')
    .columns(['parent_id', 'status'])
    .where('parent_id', 'is not', sql`null`),
  listIndex('tasks_by_root')
    .column('root_id')
    .where('root_id', 'is not', sql`null`),
  listIndex('tasks_by_link')
    .columns(['link', 'tenant'])
    .where('link', 'is not', sql`null`),
];

const listIndex = (name: string, table: 'tasks' | 'timers' | 'cancellations' = 'tasks') =>
  schema.createIndex(name).ifNotExists().on(table);

const newestCancellation = sql`requested_at desc, cancellation_id`;

const cancellationIndexes = (): Statement[] => [
  listIndex('timers_by_due', 'timers').columns(['due_at', 'task_key']),
  ...(['', 'owner', 'principal', 'status'] as const).map((column) =>
    listIndex(`cancellations_by_${column || 'tenant'}`, 'cancellations').expression(
      sql.join([sql`tenant`, ...(column === '' ? [] : [sql.ref(column)]), newestCancellation]),
    ),
  ),
  listIndex('cancellations_by_root', 'cancellations').expression(sql`root_task_id, ${newestCancellation}`),
];

/** What a new set of view tables is made of, in this order. */
export const viewTables = (): readonly Statement[] => [
  ...taskTables(),
  ...contentTables(),
  ...linkTables(),
  ...cancellationTables(),
  ...ownTables(),
];

/** What is built when a view has been filled. */
export const viewIndexes = (): readonly Statement[] => [...listIndexes(), ...cancellationIndexes()];
