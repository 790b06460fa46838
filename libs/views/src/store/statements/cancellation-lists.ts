import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { CancellationFilter } from '../../reading.js';
import type { PageStart, Scope } from '../view-database.js';
import type { ViewTables } from '../schema/view-tables.js';
import { atMost, integer, kysely, param, type Statement, unindexed } from './queries.js';

type Column = 'tenant' | 'owner' | 'principal' | 'status' | 'root_task_id';

/** What a list of cancellations is selected by; `undefined` selects everything. */
export type CancellationParameters = Readonly<Partial<Record<Column | 'since' | AfterMember, string>>>;

type AfterMember = 'asOf' | 'keyAt' | 'keyId';

export type CancellationShape = readonly (keyof CancellationParameters)[];

export const cancellationParameters = (
  { tenant, owner }: Scope,
  { requestedBy, status, since, rootTaskId }: CancellationFilter,
  after: PageStart | undefined,
): CancellationParameters => ({
  tenant,
  ...(owner !== undefined && { owner }),
  ...(requestedBy !== undefined && { principal: requestedBy }),
  ...(status !== undefined && { status }),
  ...(rootTaskId !== undefined && { root_task_id: rootTaskId }),
  ...(since !== undefined && { since }),
  ...(after && { asOf: after.asOf, keyAt: after.key.at, keyId: after.key.id }),
});

/** The columns whose index serves a list, most selective first; the others are hidden from the planner. */
const serving: readonly { readonly by: Column; readonly columns: readonly Column[] }[] = [
  { by: 'root_task_id', columns: ['root_task_id'] },
  { by: 'principal', columns: ['tenant', 'principal'] },
  { by: 'owner', columns: ['tenant', 'owner'] },
  { by: 'status', columns: ['tenant', 'status'] },
];

const columns: readonly Column[] = ['tenant', 'owner', 'principal', 'status', 'root_task_id'];

const build = expressionBuilder<ViewTables, 'cancellations'>();

/** After the last one of the page before; a cancellation that page one did not know of belongs to no page of it. */
const afterKey: readonly Expression<SqlBool>[] = [
  sql<SqlBool>`${unindexed(sql.ref('position'))} <= ${param('asOf')}`,
  build('requested_at', '<=', param('keyAt')),
  build.or([build('requested_at', '<', param('keyAt')), build('cancellation_id', '>', param('keyId'))]),
];

const conditionsOf = (shape: CancellationShape): Expression<SqlBool> => {
  const indexed = serving.find(({ by }) => shape.includes(by))?.columns ?? ['tenant'];
  const equal = columns
    .filter((column) => shape.includes(column))
    .map((column) => {
      const reference = sql.ref(column);
      return sql<SqlBool>`${indexed.includes(column) ? reference : unindexed(reference)} = ${param(column)}`;
    });
  return build.and([
    ...equal,
    ...(shape.includes('since') ? [build('requested_at', '>=', param('since'))] : []),
    ...(shape.includes('asOf') ? afterKey : []),
  ]);
};

/** A cancellation as it is stored. */
export interface RawCancellation {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly rootRevision: number | null;
  readonly requestedAt: string;
  readonly principal: string;
  readonly role: string;
  readonly via: string;
  readonly requestId: string | null;
  readonly mode: string;
  readonly status: ViewTables['cancellations']['status'];
  readonly settledAt: string | null;
  readonly confirmedAt: string | null;
  readonly descendantsOnly: number;
  readonly parentEnded: number;
  readonly reason: string | null;
}

const selected = kysely
  .selectFrom('cancellations')
  .select([
    'cancellation_id as cancellationId',
    'root_task_id as rootTaskId',
    'root_revision as rootRevision',
    'requested_at as requestedAt',
    'principal',
    'role',
    'via',
    'request_id as requestId',
    'mode',
    'status',
    'settled_at as settledAt',
    'confirmed_at as confirmedAt',
    'descendants_only as descendantsOnly',
    'parent_ended as parentEnded',
    'reason',
  ]);

export const cancellationById: Statement<RawCancellation> = selected.where(
  'cancellation_id',
  '=',
  param('cancellationId'),
);

export const cancellationPage = (shape: CancellationShape): Statement<RawCancellation> =>
  selected
    .where(conditionsOf(shape))
    .orderBy('requested_at', 'desc')
    .orderBy('cancellation_id')
    .limit(atMost('limit'));

export const cancellationTotal = (shape: CancellationShape): Statement<{ total: number }> =>
  kysely
    .selectFrom('cancellations')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(conditionsOf(shape));

const timer = kysely
  .selectFrom('timers')
  .select(['task_id as taskId', 'kind', 'due_at as dueAt', 'cancellation_id as cancellationId']);

export const timersDue = timer
  .where('due_at', '<=', integer('until'))
  .orderBy('due_at')
  .orderBy('task_key')
  .limit(atMost('limit'));

export const timersOfTask = timer
  .where('task_key', '=', (task) =>
    task.selectFrom('tasks').select('tasks.task_key').where('tasks.task_id', '=', param('taskId')),
  )
  .orderBy('kind');
