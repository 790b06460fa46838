import { sql } from 'kysely';
import { kysely, param } from './queries.js';
import { type CounterKind, versionColumns } from './tables.js';

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
    position: param<string>('position'),
    event_id: param<string>('eventId'),
    handled: mark('handled', '+', param<number>('handled')),
  }))
  .where('position', '=', param<string>('seen'));

export const insertTask = kysely.insertInto('tasks').values({
  task_key: param('taskKey'),
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
  revision: param('revision'),
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
      .select([param<string>('validTo').as('valid_to'), param<number>('closedAt').as('closed_at')])
      .where('task_key', '=', param<number>('taskKey')),
  );

/** What changes with every event; no index but the one of update times holds a column of these. */
const refreshed = {
  updated_at: param<string>('updatedAt'),
  revision: param<number>('revision'),
  valid_from: param<string>('validFrom'),
  fold: param<string>('fold'),
  heading: param<string | null>('heading'),
};

export const refreshTask = kysely
  .updateTable('tasks')
  .set(refreshed)
  .where('task_key', '=', param<number>('taskKey'));

export const replaceTask = kysely
  .updateTable('tasks')
  .set({
    ...refreshed,
    state: param<string>('state'),
    status: param<string>('status'),
    stopped_by: param<string | null>('stoppedBy'),
    status_at: param<string>('statusAt'),
    parent_id: param<string | null>('parentId'),
  })
  .where('task_key', '=', param<number>('taskKey'));

export const count = kysely
  .insertInto('counters')
  .values({
    kind: param('kind'),
    tenant: param('tenant'),
    context_id: param('contextId'),
    owner: param('owner'),
    tasks: param('tasks'),
  })
  .onConflict((conflict) =>
    conflict
      .columns(['kind', 'tenant', 'context_id', 'owner'])
      .doUpdateSet((line) => ({ tasks: line('counters.tasks', '+', line.ref('excluded.tasks')) })),
  );

const rootOfParent = kysely
  .selectFrom('tasks as parent')
  .select((parent) => parent.fn.coalesce('parent.root_id', 'parent.task_id').as('root'))
  .where('parent.task_id', '=', param<string>('parentId'));

const newRoot = sql<string>`coalesce((${rootOfParent}), ${param<string>('parentId')})`;

/** A task and everything below it. `union` ends on any circle. */
const withBelow = kysely.withRecursive('below', (below) =>
  below
    .selectFrom('tasks')
    .select('task_id')
    .where('task_id', '=', param<string>('taskId'))
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
  .set({ root_id: newRoot, valid_from: param<string>('position') })
  .where('task_id', '=', param<string>('taskId'))
  .where(sql<boolean>`root_id is not ${newRoot}`);

/** What is below a task that gets a new parent has another root from here on: a version ends, though no event came. */
export const closeSubtree = withBelow
  .insertInto('closed_versions')
  .columns([...versionColumns, 'valid_to', 'closed_at'])
  .expression((query) =>
    query
      .selectFrom('tasks')
      .select([...versionColumns])
      .select([param<string>('position').as('valid_to'), param<number>('closedAt').as('closed_at')])
      .where('task_id', 'in', (task) => task.selectFrom('below').select('below.task_id'))
      .where('valid_from', '<=', param<string>('seen'))
      .where(sql<boolean>`root_id is not ${newRoot}`),
  );

/** A task under a new parent, and everything below it, gets the root of that parent. */
export const moveSubtree = withBelow
  .updateTable('tasks')
  .set({ root_id: newRoot, valid_from: param<string>('position') })
  .where(sql<boolean>`root_id is not ${newRoot}`)
  .where('task_id', 'in', (task) => task.selectFrom('below').select('below.task_id'));

export const insertMessage = kysely
  .insertInto('messages')
  .values({ place: param('place'), message: param('message') });

export const insertChunk = kysely.insertInto('chunks').values({
  place: param('place'),
  artifact_id: param('artifactId'),
  append: param('append'),
  artifact: param('artifact'),
  replaced_at: sql`null`,
});

export const replaceChunks = kysely
  .updateTable('chunks')
  .set({ replaced_at: param<string>('at') })
  .where('place', '>=', param<number>('lowest'))
  .where('place', '<', param<number>('place'))
  .where('artifact_id', '=', param<string>('artifactId'))
  .where('replaced_at', 'is', sql<null>`null`);

export const insertCommand = kysely.insertInto('commands').values({
  place: param('place'),
  command_id: param('commandId'),
  request_hash: param('requestHash'),
});

export const deleteCommand = kysely.deleteFrom('commands').where('place', '=', param<number>('place'));

export const forgetCommands = kysely
  .deleteFrom('commands')
  .where('place', '>=', param<number>('lowest'))
  .where('place', '<', param<number>('place'));

/** A link announced twice is one link: the first announcement stands. */
export const insertLink = kysely
  .insertInto('links')
  .values({
    parent_id: param('parentId'),
    child_id: param('childId'),
    policy: param('policy'),
    on_end: param('onEnd'),
    grace_ms: param('graceMs'),
    revision: param('revision'),
    late: param('late'),
    position: param('position'),
  })
  .onConflict((conflict) => conflict.doNothing());

export const insertSetAside = kysely.insertInto('set_aside').values({
  position: param('position'),
  stream: param('stream'),
  revision: param('revision'),
  type: param('type'),
  error: param('error'),
});
