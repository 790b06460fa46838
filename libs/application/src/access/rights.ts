import { DomainError, type Caller, type Role, type Task } from '#domain';

/** What may be done, by role (docs/CONFIGURATION.md "Rights"). */
export type Deed =
  | 'create'
  | 'read'
  | 'message'
  | 'cancel'
  | 'link'
  | 'transition'
  | 'artifact'
  | 'acknowledge'
  | 'decline'
  | 'feed';

const work = ['transition', 'artifact', 'acknowledge', 'decline'] as const;

const deedsOf = {
  user: ['create', 'read', 'message', 'cancel', 'link', 'feed'],
  agent: ['create', 'read', 'message', 'link', ...work, 'feed'],
  operator: ['create', 'read', 'message', 'cancel', 'link', ...work, 'feed'],
} as const satisfies Record<Role, readonly Deed[]>;

const mayDo = (role: Role, deed: Deed): boolean => (deedsOf[role] as readonly Deed[]).includes(deed);

/** Whose a task is, or an event: a {@link Task} and event metadata fit. */
export interface Owned {
  readonly tenant: string;
  readonly owner: string;
}

/** A user sees what is his own; agents and operators see everything of their tenant. */
export const maySee = (caller: Caller, { tenant, owner }: Owned): boolean =>
  caller.tenant === tenant && (caller.role !== 'user' || caller.principal === owner);

/** Absent and forbidden look the same. */
export const taskNotFound = (taskId: string): DomainError =>
  new DomainError('task-not-found', `no task ${taskId}`, { taskId });

/** Absent and forbidden look the same. */
export const cancellationNotFound = (cancellationId: string): DomainError =>
  new DomainError('cancellation-not-found', `no cancellation ${cancellationId}`, { cancellationId });

/** @throws DomainError `forbidden`: the role may see the task, and not do this */
export const assertMayDo = (caller: Caller, deed: Deed): void => {
  if (mayDo(caller.role, deed)) return;
  throw new DomainError('forbidden', `role ${caller.role} may not do this (${deed})`, { role: caller.role });
};

/**
 * The task, if the caller may see it and do this to it.
 * @throws DomainError `task-not-found`, `forbidden`
 */
export const permitted = <Seen extends Pick<Task, 'tenant' | 'owner'>>(
  caller: Caller,
  deed: Deed,
  taskId: string,
  task: Seen | undefined,
): Seen => {
  if (task === undefined || !maySee(caller, task)) throw taskNotFound(taskId);
  assertMayDo(caller, deed);
  return task;
};
