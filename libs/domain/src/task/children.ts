import { factOn, putOn, shelvesOf, type Shelves } from './shelves.js';
import type { Task } from './state.js';

/** Whether a child is announced on this task's stream. */
export const hasChild = ({ childIds }: Pick<Task, 'childIds'>, taskId: string): boolean =>
  factOn(childIds, taskId) === true;

export const addChild = (childIds: Shelves<true>, taskId: string): Shelves<true> =>
  putOn(childIds, taskId, true);

/** The children of a task that were kept elsewhere, in the order in which they were announced. */
export const childrenOf = (taskIds: readonly string[]): Shelves<true> =>
  shelvesOf(taskIds.map((taskId) => [taskId, true]));
