import type { SelectQueryBuilder } from 'kysely';
import type { CounterKind, VersionColumns } from '../schema/view-tables.js';
import { contentOf } from './content-columns.js';
import { afterKey, conditionsOf, type ListShape } from './list-conditions.js';
import { atMost, kysely, param, type Statement } from './queries.js';

export interface ListedVersion {
  readonly taskKey: number;
  readonly taskId: string;
  readonly statusAt: string;
  readonly rootId: string | null;
  readonly fold: string;
  readonly heading: string | null;
  readonly messages: string | null;
  readonly chunks: string | null;
}

const selected = [
  'version.task_key',
  'version.task_id',
  'version.status_at',
  'version.root_id',
  'version.revision',
  'version.fold',
  'version.heading',
] as const;

const currentVersions = (shape: ListShape) =>
  kysely
    .selectFrom('tasks as version')
    .select(selected)
    .where(conditionsOf(shape))
    .orderBy('version.status_at', 'desc')
    .orderBy('version.task_id')
    .limit(atMost('limit'));

type Selected = Pick<
  VersionColumns,
  'task_key' | 'task_id' | 'status_at' | 'root_id' | 'revision' | 'fold' | 'heading'
>;

/** Content is read for what is shown, after the page has been cut. */
const withContent = (versions: SelectQueryBuilder<never, never, Selected>): Statement<ListedVersion> =>
  kysely
    .selectFrom(versions.as('version'))
    .select([
      'version.task_key as taskKey',
      'version.task_id as taskId',
      'version.status_at as statusAt',
      'version.root_id as rootId',
      'version.fold',
      'version.heading',
      ...contentOf(),
    ])
    .orderBy('version.status_at', 'desc')
    .orderBy('version.task_id');

export const firstPage = (shape: ListShape): Statement<ListedVersion> => withContent(currentVersions(shape));

/** Versions of page one's moment that still stand. */
export const laterPage = (shape: ListShape): Statement<ListedVersion> =>
  withContent(currentVersions(shape).where('version.valid_from', '<=', param('asOf')).where(afterKey()));

/** Versions of page one's moment that have been closed since, found by their end. */
export const laterPageClosed = (shape: ListShape): Statement<ListedVersion> =>
  withContent(
    kysely
      .selectFrom('closed_versions as version')
      .select(selected)
      .where('version.valid_to', '>', param('asOf'))
      .where('version.valid_from', '<=', param('asOf'))
      .where(conditionsOf(shape))
      .where(afterKey())
      .orderBy('version.status_at', 'desc')
      .orderBy('version.task_id')
      .limit(atMost('limit')),
  );

export const total = (shape: ListShape): Statement<{ total: number }> =>
  kysely
    .selectFrom('tasks as version')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(conditionsOf(shape));

/** Totals of whole scopes and of contexts, kept with every new task. */
export const counted = kysely
  .selectFrom('counters')
  .select(({ fn }) => fn.sum<number | null>('tasks').as('total'))
  .where('kind', '=', param<CounterKind>('kind'))
  .where('tenant', '=', param('tenant'))
  .where('context_id', '=', param('contextId'));

export const countedOfOwner = counted.where('owner', '=', param('owner'));
