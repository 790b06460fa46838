import { sql } from 'kysely';
import { type CounterKind, versionColumns } from '../schema/view-tables.js';
import { integer, kysely, param } from './queries.js';

export interface Advance {
  seen: string;
  position: string;
  eventId: string;
  handled: number;
}

export interface Closing {
  taskKey: number;
  validTo: string;
  closedAt: number;
}

export interface Counted {
  kind: CounterKind;
  tenant: string;
  contextId: string;
  owner: string;
  tasks: number;
}

/** A task under a new parent. */
export interface Move {
  taskId: string;
  parentId: string;
  /** Where the view stands after the batch. */
  position: string;
}

/** The same with everything below the task. */
export interface Adoption extends Move {
  /** Where the view stood before the batch. */
  seen: string;
  closedAt: number;
}

/** The guard: a runner that has been overtaken changes no row here, and stops. */
export const advance = kysely
  .updateTable('marks')
  .set((mark) => ({
    position: param('position'),
    event_id: param('eventId'),
    handled: mark('handled', '+', integer('handled')),
  }))
  .where('position', '=', param('seen'));

export const insertTask = kysely.insertInto('tasks').values({
  task_key: integer('taskKey'),
  task_id: param('taskId'),
  tenant: param('tenant'),
  owner: param('owner'),
  context_id: param('contextId'),
  state: param('state'),
  status: param('status'),
  stopped_by: param('stoppedBy'),
  status_at: param('statusAt'),
  updated_at: param('updatedAt'),
  parent_id: param('parentId'),
  root_id: param('rootId'),
  link: param('link'),
  revision: integer('revision'),
  valid_from: param('validFrom'),
  fold: param('fold'),
  heading: param('heading'),
});

export const closeVersion = kysely
  .insertInto('closed_versions')
  .columns([...versionColumns, 'valid_to', 'closed_at'])
  .expression(
    kysely
      .selectFrom('tasks')
      .select([...versionColumns])
      .select([param('validTo').as('valid_to'), integer('closedAt').as('closed_at')])
      .where('task_key', '=', integer('taskKey')),
  );

/** What changes with every event; no index but the one of update times holds a column of these. */
const refreshed = {
  updated_at: param('updatedAt'),
  revision: integer('revision'),
  valid_from: param('validFrom'),
  fold: param('fold'),
  heading: param<string | null>('heading'),
};

export const refreshTask = kysely
  .updateTable('tasks')
  .set(refreshed)
  .where('task_key', '=', integer('taskKey'));

export const replaceTask = kysely
  .updateTable('tasks')
  .set({
    ...refreshed,
    state: param('state'),
    status: param('status'),
    stopped_by: param<string | null>('stoppedBy'),
    status_at: param('statusAt'),
    parent_id: param<string | null>('parentId'),
  })
  .where('task_key', '=', integer('taskKey'));

export const count = kysely
  .insertInto('counters')
  .values({
    kind: param('kind'),
    tenant: param('tenant'),
    context_id: param('contextId'),
    owner: param('owner'),
    tasks: integer('tasks'),
  })
  .onConflict((conflict) =>
    conflict
      .columns(['kind', 'tenant', 'context_id', 'owner'])
      .doUpdateSet((line) => ({ tasks: line('counters.tasks', '+', line.ref('excluded.tasks')) })),
  );

const rootOfParent = kysely
  .selectFrom('tasks as parent')
  .select((parent) => parent.fn.coalesce('parent.root_id', 'parent.task_id').as('root'))
  .where('parent.task_id', '=', param('parentId'));

const newRoot = sql<string>`coalesce((${rootOfParent}), ${param('parentId')})`;

/** A task and everything below it. `union` ends on any circle. */
const withBelow = kysely.withRecursive('below', (below) =>
  below
    .selectFrom('tasks')
    .select('task_id')
    .where('task_id', '=', param('taskId'))
    .union(
      below
        .selectFrom('tasks as child')
        .innerJoin('below', 'below.task_id', 'child.parent_id')
        .select('child.task_id'),
    ),
);

/** A task that has nothing below it gets the root of its parent. */
export const moveTask = kysely
  .updateTable('tasks')
  .set({ root_id: newRoot, valid_from: param('position') })
  .where('task_id', '=', param('taskId'))
  .where(sql<boolean>`root_id is distinct from ${newRoot}`);

/** What is below a task that gets a new parent has another root from here on: a version ends, though no event came. */
export const closeSubtree = withBelow
  .insertInto('closed_versions')
  .columns([...versionColumns, 'valid_to', 'closed_at'])
  .expression((query) =>
    query
      .selectFrom('tasks')
      .select([...versionColumns])
      .select([param('position').as('valid_to'), integer('closedAt').as('closed_at')])
      .where('task_id', 'in', (task) => task.selectFrom('below').select('below.task_id'))
      .where('valid_from', '<=', param('seen'))
      .where(sql<boolean>`root_id is distinct from ${newRoot}`),
  );

/** A task under a new parent, and everything below it, gets the root of that parent. */
export const moveSubtree = withBelow
  .updateTable('tasks')
  .set({ root_id: newRoot, valid_from: param('position') })
  .where(sql<boolean>`root_id is distinct from ${newRoot}`)
  .where('task_id', 'in', (task) => task.selectFrom('below').select('below.task_id'));

export const insertMessage = kysely
  .insertInto('messages')
  .values({ place: integer('place'), message: param('message') });

export const insertChunk = kysely.insertInto('chunks').values({
  place: integer('place'),
  artifact_id: param('artifactId'),
  append: integer('append'),
  artifact: param('artifact'),
  replaced_at: sql`null`,
});

export const replaceChunks = kysely
  .updateTable('chunks')
  .set({ replaced_at: param('at') })
  .where('place', '>=', integer('lowest'))
  .where('place', '<', integer('place'))
  .where('artifact_id', '=', param('artifactId'))
  .where('replaced_at', 'is', sql<null>`null`);

export const insertCommand = kysely.insertInto('commands').values({
  place: integer('place'),
  command_id: param('commandId'),
  request_hash: param('requestHash'),
});

export const deleteCommand = kysely.deleteFrom('commands').where('place', '=', integer('place'));

export const forgetCommands = kysely
  .deleteFrom('commands')
  .where('place', '>=', integer('lowest'))
  .where('place', '<', integer('place'));

/** A link announced twice is one link: the first announcement stands. */
export const insertLink = kysely
  .insertInto('links')
  .values({
    parent_id: param('parentId'),
    child_id: param('childId'),
    policy: param('policy'),
    on_end: param('onEnd'),
    grace_ms: integer<number | null>('graceMs'),
    revision: integer('revision'),
    late: integer('late'),
    position: param('position'),
  })
  .onConflict((conflict) => conflict.doNothing());

export const insertSetAside = kysely.insertInto('set_aside').values({
  position: param('position'),
  stream: param('stream'),
  revision: integer('revision'),
  type: param('type'),
  error: param('error'),
});

/** As {@link advance}, of tables that another process may have put in the place of those that were meant. */
export const advanceGeneration = advance.where('generation', '=', param('generation')).returning('building');

export const rootOfTask = kysely
  .selectFrom('tasks')
  .select((task) => task.fn.coalesce('root_id', 'task_id').as('root'))
  .where('task_id', '=', param('taskId'));

/** As {@link moveTask}, where the new root is known. */
export const setRoot = kysely
  .updateTable('tasks')
  .set({ root_id: param('rootId'), valid_from: param('position') })
  .where('task_id', '=', param('taskId'))
  .where(sql<boolean>`root_id is distinct from ${param('rootId')}`);
