import type { ChildLink } from './events.js';
import { factOn, putOn, shelvesOf, type Shelves } from './shelves.js';
import type { ChildFact, Task } from './state.js';

/** Whether a child is announced on this task's stream, or on the one beside it. */
export const hasChild = ({ children }: Pick<Task, 'children'>, taskId: string): boolean =>
  factOn(children, taskId) !== undefined;

/** @param revision of the announcement, in the stream where it stands */
export const childFact = ({ policy, onEnd, graceMs }: ChildLink, revision: number): ChildFact => ({
  policy,
  onEnd,
  ...(graceMs !== undefined && { graceMs }),
  revision,
});

export const addChild = (
  children: Shelves<ChildFact>,
  taskId: string,
  child: ChildFact,
): Shelves<ChildFact> => putOn(children, taskId, child);

/** The children of a task that were kept elsewhere, in the order in which they were announced. */
export const childrenOf = (
  children: readonly (readonly [taskId: string, child: ChildFact])[],
): Shelves<ChildFact> => shelvesOf(children);
