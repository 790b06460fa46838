import { sql } from 'kysely';
import { schemaVersion } from '../schema/view-schema.js';
import { smallContextMax } from './context-totals.js';
import { atMost, integer, kysely, param } from './queries.js';

export const viewName = 'tasks';

export const insertMark = kysely.insertInto('marks').values({
  name: sql.lit(viewName),
  position: sql.lit(''),
  event_id: sql.lit(''),
  log_id: param('logId'),
  fold_version: integer('foldVersion'),
  schema_version: sql.lit(schemaVersion),
  purged: sql.lit(''),
  building: sql.lit(1),
  started_at: param('startedAt'),
  handled: sql.lit(0),
  generation: param('generation'),
  rebuild_asked: sql.lit(0),
});

/** From here on versions are kept, so lists as of any earlier position cannot be answered. */
export const endBuilding = kysely
  .updateTable('marks')
  .set((mark) => ({ building: sql.lit(0), purged: mark.ref('position') }));

export const clearCounters = kysely.deleteFrom('counters');

/** Totals of every scope and of large contexts, from all tasks at once. */
export const countAll = [
  kysely
    .insertInto('counters')
    .columns(['kind', 'tenant', 'context_id', 'owner', 'tasks'])
    .expression(
      kysely
        .selectFrom('tasks')
        .select(({ fn }) => [
          sql<'context'>`'context'`.as('kind'),
          'tenant',
          'context_id',
          'owner',
          fn.countAll<number>().as('tasks'),
        ])
        .where(
          sql<boolean>`(tenant, context_id) in (
            select tenant, context_id from ${sql.table('tasks')} group by tenant, context_id
            having count(*) > ${sql.lit(smallContextMax)})`,
        )
        .groupBy(['tenant', 'context_id', 'owner']),
    ),
  kysely
    .insertInto('counters')
    .columns(['kind', 'tenant', 'context_id', 'owner', 'tasks'])
    .expression(
      kysely
        .selectFrom('tasks')
        .select(({ fn }) => [
          sql<'owner'>`'owner'`.as('kind'),
          'tenant',
          sql<string>`''`.as('context_id'),
          'owner',
          fn.countAll<number>().as('tasks'),
        ])
        .groupBy(['tenant', 'owner']),
    ),
  kysely
    .insertInto('counters')
    .columns(['kind', 'tenant', 'context_id', 'owner', 'tasks'])
    .expression(
      kysely
        .selectFrom('counters')
        .select(({ fn }) => [
          sql<'tenant'>`'tenant'`.as('kind'),
          'tenant',
          sql<string>`''`.as('context_id'),
          sql<string>`''`.as('owner'),
          fn.sum<number>('tasks').as('tasks'),
        ])
        .where('kind', '=', sql.lit('owner' as const))
        .groupBy('tenant'),
    ),
];

/** The root of every task that has a parent, from the tops down; a parent that is not there counts as a root. */
export const setAllRoots = kysely
  .withRecursive('rooted(task_id, root)', (rooted) =>
    rooted
      .selectFrom('tasks')
      .select(['task_id', 'task_id as root'])
      .where('parent_id', 'is', sql<null>`null`)
      .union(
        rooted
          .selectFrom('tasks as child')
          .innerJoin('rooted', 'rooted.task_id', 'child.parent_id')
          .select(['child.task_id', 'rooted.root']),
      ),
  )
  .updateTable('tasks')
  .from('rooted')
  .set((task) => ({ root_id: task.ref('rooted.root') }))
  .whereRef('tasks.task_id', '=', 'rooted.task_id')
  .where('tasks.parent_id', 'is not', sql<null>`null`);

export const someParent = kysely
  .selectFrom('tasks')
  .select('task_id as taskId')
  .where('parent_id', 'is not', sql<null>`null`)
  .limit(sql.lit(1));

/** The end of the newest version that may go, among the first ones. */
export const newestToPurge = kysely
  .selectFrom(
    kysely
      .selectFrom('closed_versions')
      .select(['valid_to', 'closed_at'])
      .orderBy('valid_to')
      .limit(atMost('limit'))
      .as('oldest'),
  )
  .select(({ fn }) => fn.max<string | null>('oldest.valid_to').as('end'))
  .where('oldest.closed_at', '<=', integer('closedBefore'));

export const purgeVersions = kysely.deleteFrom('closed_versions').where('valid_to', '<=', param('end'));

export const purgeChunks = kysely
  .deleteFrom('chunks')
  .where('replaced_at', 'is not', sql<null>`null`)
  .where('replaced_at', '<=', param('end'));

export const rememberPurge = kysely
  .updateTable('marks')
  .set({ purged: param('end') })
  .where('purged', '<', param('end'));

export const insertDistrusted = kysely
  .insertInto('distrusted')
  .values({ task_id: param('taskId'), detail: param('detail') })
  .onConflict((conflict) => conflict.doNothing());

export const askRebuild = kysely.updateTable('marks').set({ rebuild_asked: sql.lit(1) });

export const takeRebuild = kysely
  .updateTable('marks')
  .set({ rebuild_asked: sql.lit(0) })
  .where('rebuild_asked', '=', sql.lit(1));
