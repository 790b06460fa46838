import type { TaskView } from '#application';
import type { TaskRecord } from '#dialects';
import { resultAmong, rowOf } from '#domain';

/** A task, its content and its row, all of one revision. */
export const recordOf = ({ task, document }: TaskView): TaskRecord => ({
  task,
  document,
  row: rowOf(task, resultAmong(task.taskId, document.artifacts)),
});
