import { sql } from 'kysely';
import { integer, kysely, param, unindexed } from './queries.js';

/** Up to this many tasks a context is small. */
export const smallContextMax = 32;

export interface Context {
  readonly tenant: string;
  readonly contextId: string;
}

export interface ContextGrowth extends Context {
  readonly owner: string;
  /** That came. */
  readonly tasks: number;
}

const inContext = kysely
  .selectFrom('tasks')
  .where('tenant', '=', param('tenant'))
  .where('context_id', '=', param('contextId'));

/** Counted no further than is needed to tell a large one. */
export const countedSmall = kysely
  .selectFrom(
    inContext
      .select('task_id')
      .limit(sql.lit(smallContextMax + 1))
      .as('some'),
  )
  .select(({ fn }) => fn.countAll<number>().as('total'));

/** The owner is hidden from the planner, which would go through all of his tasks. */
export const countedSmallOfOwner = inContext
  .select(({ fn }) => fn.countAll<number>().as('total'))
  .where(sql<boolean>`${unindexed(sql.ref('owner'))} = ${param('owner')}`);

export const addToLine = kysely
  .updateTable('counters')
  .set((line) => ({ tasks: line('counters.tasks', '+', integer('tasks')) }))
  .where('kind', '=', sql.lit('context' as const))
  .where('tenant', '=', param('tenant'))
  .where('context_id', '=', param('contextId'))
  .where('owner', '=', param('owner'));

export const beginLines = kysely
  .insertInto('counters')
  .columns(['kind', 'tenant', 'context_id', 'owner', 'tasks'])
  .expression(
    inContext
      .select(({ fn }) => [
        sql<'context'>`'context'`.as('kind'),
        'tenant',
        'context_id',
        'owner',
        fn.countAll<number>().as('tasks'),
      ])
      .groupBy(['tenant', 'context_id', 'owner']),
  )
  .onConflict((conflict) => conflict.doNothing());
