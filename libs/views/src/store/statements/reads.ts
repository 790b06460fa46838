import { sql } from 'kysely';
import type { RawLink } from '../raw-tasks.js';
import type { ViewMark } from '../view-database.js';
import { contentOf } from './content-columns.js';
import { atMost, integer, kysely, param } from './queries.js';

export const taskById = kysely
  .selectFrom('tasks')
  .select(['task_key as taskKey', 'fold', 'heading'])
  .where('task_id', '=', param('taskId'));

export const documentById = kysely
  .selectFrom('tasks as version')
  .select(['task_key as taskKey', 'fold', 'heading', ...contentOf()])
  .where('task_id', '=', param('taskId'));

export const columnsById = kysely
  .selectFrom('tasks')
  .select([
    'task_key as taskKey',
    'state',
    'status',
    'status_at as statusAt',
    'updated_at as updatedAt',
    'tenant',
    'owner',
    'context_id as contextId',
  ])
  .where('task_id', '=', param('taskId'));

export const messageAt = kysely
  .selectFrom('messages')
  .select(['place', 'message'])
  .where('place', '=', integer('place'));

/** The one chunk of a result: it was recorded with the end, so that the search begins there. */
export const resultOfTask = kysely
  .selectFrom('chunks')
  .select('artifact')
  .where('place', '>=', integer('lowest'))
  .where('place', '<=', integer('highest'))
  .where('artifact_id', '=', param('artifactId'))
  .orderBy('place', 'desc')
  .limit(sql.lit(1));

export const commandsOfTask = kysely
  .selectFrom('commands')
  .select(['place', 'command_id as commandId', 'request_hash as requestHash'])
  .where('place', '>=', integer('lowest'))
  .where('place', '<=', integer('highest'))
  .orderBy('place', 'desc')
  .limit(atMost('limit'));

/** Announced on the task's own stream, in the order of their announcements. */
export const linksOfTask = kysely
  .selectFrom('links')
  .select(['child_id as childId', 'policy', 'on_end as onEnd', 'grace_ms as graceMs', 'revision'])
  .where('parent_id', '=', param('taskId'))
  .where('late', '=', sql.lit(0))
  .orderBy('revision')
  .$castTo<RawLink>();

export const linkOfTask = linksOfTask.where('child_id', '=', param('childId'));

export const childrenOfTask = kysely
  .selectFrom('links')
  .leftJoin('tasks', 'tasks.task_id', 'links.child_id')
  .select(['links.child_id as taskId', 'links.policy', 'links.on_end as onEnd', 'links.late', 'tasks.fold'])
  .where('links.parent_id', '=', param('parentId'))
  .orderBy('links.position')
  .limit(atMost('limit'));

/** The states of `running` and `parked`: everything that is not over. */
export const openChildrenOfTask = kysely
  .selectFrom('tasks')
  .select(({ fn }) => fn.countAll<number>().as('open'))
  .where('parent_id', '=', param('taskId'))
  .where('status', 'in', [param('running'), param('parked')]);

/** A mark as it is stored. */
export type RawMark = Omit<ViewMark, 'building'> & { readonly building: number };

export const mark = kysely
  .selectFrom('marks')
  .select([
    'position',
    'event_id as eventId',
    'log_id as logId',
    'fold_version as foldVersion',
    'purged',
    'building',
    'started_at as startedAt',
    'handled',
    'generation',
  ])
  .where('name', '=', param('name'))
  .where('schema_version', '=', integer('schemaVersion'));

export const newestTaskKey = kysely
  .selectFrom('tasks')
  .select(({ fn }) => fn.max<number | null>('task_key').as('newest'));

export const tasksAfter = kysely
  .selectFrom('tasks')
  .select(['task_key as taskKey', 'task_id as taskId'])
  .where('task_key', '>', integer('taskKey'))
  .orderBy('task_key')
  .limit(atMost('limit'));

export const setAsideEvents = kysely
  .selectFrom('set_aside')
  .select(['position', 'stream', 'revision', 'type', 'error'])
  .orderBy('position')
  .limit(atMost('limit'));

export const counts = kysely
  .selectNoFrom((counted) => [
    counted
      .selectFrom('tasks')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .as('tasks'),
    counted
      .selectFrom('set_aside')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .as('setAside'),
    counted
      .selectFrom('distrusted')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .as('distrusted'),
  ])
  .$castTo<{ tasks: number; setAside: number; distrusted: number }>();
