import { sql } from 'kysely';
import type { CancellationStatus } from '../../reading.js';
import { integer, kysely, param } from './queries.js';

/** The first fact stands: the opening adds nothing to what the root's own event said. */
export const insertCancellation = kysely
  .insertInto('cancellations')
  .values({
    cancellation_id: param('cancellationId'),
    root_task_id: param('rootTaskId'),
    root_revision: integer<number | null>('rootRevision'),
    tenant: param('tenant'),
    owner: param('owner'),
    requested_at: param('requestedAt'),
    principal: param('principal'),
    role: param('role'),
    via: param('via'),
    request_id: param('requestId'),
    mode: param('mode'),
    status: sql.lit('running'),
    settled_at: sql`null`,
    confirmed_at: sql`null`,
    descendants_only: integer('descendantsOnly'),
    parent_ended: integer('parentEnded'),
    reason: param('reason'),
    position: param('position'),
  })
  .onConflict((conflict) => conflict.doNothing());

const moved = kysely.updateTable('cancellations').where('cancellation_id', '=', param('cancellationId'));

const statusOf = (status: CancellationStatus) => sql.lit(status);
const none = sql<null>`null`;
const at = param('at');

/** By what happened; a line that comes while it is running writes nothing. */
export const moveCancellation = {
  reopened: moved
    .set({ status: statusOf('running'), settled_at: none, confirmed_at: none })
    .where('status', '<>', statusOf('running')),
  settled: moved.set({ status: statusOf('settled'), settled_at: at, confirmed_at: none }),
  confirmed: moved.set({ status: statusOf('confirmed'), confirmed_at: at }),
  wroteLate: moved
    .set({ status: statusOf('settled'), confirmed_at: none })
    .where('status', '=', statusOf('confirmed')),
};

export const setTimer = kysely
  .insertInto('timers')
  .values({
    task_key: integer('taskKey'),
    kind: param('kind'),
    task_id: param('taskId'),
    due_at: integer('dueAt'),
    cancellation_id: param('cancellationId'),
  })
  .onConflict((conflict) =>
    conflict.columns(['task_key', 'kind']).doUpdateSet((timer) => ({
      due_at: timer.ref('excluded.due_at'),
      cancellation_id: timer.ref('excluded.cancellation_id'),
    })),
  );

export const dropTimer = kysely
  .deleteFrom('timers')
  .where('task_key', '=', integer('taskKey'))
  .where('kind', '=', param('kind'));
