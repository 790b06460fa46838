import { rowStatusOf, type RowStatus } from '#domain';
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ListFilter } from '../../reading.js';
import type { Scope } from '../view-database.js';
import type { VersionColumns } from '../schema/view-tables.js';
import { param, perDialect, unindexed } from './queries.js';

type FilterColumn = 'tenant' | 'owner' | 'context_id' | 'status' | 'stopped_by' | 'parent_id' | 'link';
/** What a list is selected by; `undefined` selects everything. */
export interface ListParameters {
  readonly tenant: string;
  readonly owner?: string;
  readonly context_id?: string;
  readonly status?: RowStatus;
  /** JSON array of states. */
  readonly states?: string;
  readonly stopped_by?: string;
  readonly parent_id?: string;
  readonly root_id?: string;
  readonly link?: string;
  readonly statusAfter?: string;
  readonly updatedAfter?: string;
}

export type ListShape = readonly (keyof ListParameters)[];

const oneStatusOf = (states: ListFilter['states']): RowStatus | undefined => {
  const statuses = new Set((states ?? []).map(rowStatusOf));
  const [status] = statuses;
  return statuses.size === 1 ? status : undefined;
};

export const parametersOf = (scope: Scope, filter: ListFilter): ListParameters => {
  const status = filter.status ?? oneStatusOf(filter.states);
  return {
    tenant: scope.tenant,
    ...(scope.owner !== undefined && { owner: scope.owner }),
    ...(filter.contextId !== undefined && { context_id: filter.contextId }),
    ...(status !== undefined && { status }),
    ...(filter.states !== undefined && { states: JSON.stringify(filter.states) }),
    ...(filter.stoppedBy !== undefined && { stopped_by: filter.stoppedBy }),
    ...(filter.parentTaskId !== undefined && { parent_id: filter.parentTaskId }),
    ...(filter.rootTaskId !== undefined && { root_id: filter.rootTaskId }),
    ...(filter.link !== undefined && { link: filter.link }),
    ...(filter.statusAfter !== undefined && { statusAfter: filter.statusAfter }),
    ...(filter.updatedAfter !== undefined && { updatedAfter: filter.updatedAfter }),
  };
};

/**
 * The columns whose index serves a list, most selective first. Every other condition is hidden from the planner,
 * which has no statistics and would take the index of a whole tenant for the one of a context.
 */
const serving: readonly { by: keyof ListParameters; columns: readonly (keyof ListParameters)[] }[] = [
  { by: 'parent_id', columns: ['parent_id'] },
  { by: 'link', columns: ['link'] },
  { by: 'root_id', columns: ['root_id'] },
  { by: 'context_id', columns: ['tenant', 'context_id'] },
  { by: 'status', columns: ['tenant', 'status'] },
  { by: 'owner', columns: ['tenant', 'owner'] },
  { by: 'updatedAfter', columns: ['tenant', 'updatedAfter'] },
];

const servedBy = (shape: ListShape): readonly (keyof ListParameters)[] =>
  serving.find(({ by }) => shape.includes(by))?.columns ?? ['tenant'];

const equal: readonly FilterColumn[] = [
  'tenant',
  'owner',
  'context_id',
  'status',
  'stopped_by',
  'parent_id',
  'link',
];

const build = expressionBuilder<{ version: VersionColumns }, 'version'>();

const equality = (column: FilterColumn, indexed: boolean): Expression<SqlBool> => {
  const reference = build.ref(`version.${column}`);
  return sql<SqlBool>`${indexed ? reference : unindexed(reference)} = ${param(column)}`;
};

/** The members of a JSON array of texts. */
const membersOf = (name: string) =>
  perDialect<string>({
    sqlite: sql`select value from json_each(${param(name)})`,
    postgres: sql`select json_array_elements_text(${param(name)}::json)`,
  });

/** Conditions for the filters that a list has; their values are parameters. */
export const conditionsOf = (shape: ListShape): Expression<SqlBool> => {
  const indexed = servedBy(shape);
  const conditions: Expression<SqlBool>[] = equal
    .filter((column) => shape.includes(column))
    .map((column) => equality(column, indexed.includes(column)));
  if (shape.includes('root_id')) {
    const root = param('root_id');
    conditions.push(build.or([build('version.root_id', '=', root), build('version.task_id', '=', root)]));
  }
  if (shape.includes('states')) conditions.push(sql`version.state in (${membersOf('states')})`);
  if (shape.includes('statusAfter')) conditions.push(build('version.status_at', '>=', param('statusAfter')));
  if (shape.includes('updatedAfter')) {
    const reference = build.ref('version.updated_at');
    const updatedAt = indexed.includes('updatedAfter') ? reference : unindexed(reference);
    conditions.push(sql`${updatedAt} >= ${param('updatedAfter')}`);
  }
  return build.and(conditions);
};

/** After the last task of the page before: an older status, or the same moment and a larger id. */
export const afterKey = (): Expression<SqlBool> =>
  build.and([
    build('version.status_at', '<=', param('keyAt')),
    build.or([
      build('version.status_at', '<', param('keyAt')),
      build('version.task_id', '>', param('keyId')),
    ]),
  ]);
