import type { Task } from '#domain';
import type { TaskLoader } from '../folds/task-loader.js';

/** Parents that are climbed; a longer chain is told from below up to here. */
export const ancestorsMax = 10_000;

/** The task and the tasks above it, up to the root or to {@link ancestorsMax} of them. */
export const withAncestors = async (task: Task, loader: TaskLoader): Promise<readonly Task[]> => {
  const chain = [task];
  let { parent } = task;
  while (parent !== undefined && chain.length <= ancestorsMax) {
    const above: Task | undefined = (await loader.current(parent.taskId))?.task;
    if (above === undefined) return chain;
    chain.push(above);
    ({ parent } = above);
  }
  return chain;
};
