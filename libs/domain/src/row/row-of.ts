import type { Json } from '../json.js';
import type { Task } from '../task/state.js';
import type { LedgerRow } from './row.js';
import { rowLosses } from './losses.js';
import { a2aStateOf, rowStatusOf } from './status.js';

const cancellationOf = ({ openCancellation: open }: Task): Pick<LedgerRow, 'cancellation'> =>
  open === undefined
    ? {}
    : {
        cancellation: {
          requestedAt: open.requestedAt,
          ...(open.dueAt !== undefined && { dueAt: open.dueAt }),
        },
      };

const parentOf = ({ parent }: Task): Pick<LedgerRow, 'parentTaskId' | 'policy' | 'onEnd'> =>
  parent === undefined ? {} : { parentTaskId: parent.taskId, policy: parent.policy, onEnd: parent.onEnd };

const optional = (task: Task): Partial<LedgerRow> => {
  const { stoppedBy, checkpointToken, link, askSchema, cancellationId, deadline, unreadable } = task;
  return {
    ...(stoppedBy !== undefined && { stoppedBy }),
    ...(checkpointToken !== undefined && { checkpointToken }),
    ...(link !== undefined && { link }),
    ...parentOf(task),
    ...(askSchema !== undefined && { askSchema }),
    ...(cancellationId !== undefined && { cancellationId }),
    ...cancellationOf(task),
    ...(deadline !== undefined && { deadline }),
    ...(unreadable !== undefined && { flagged: unreadable }),
  };
};

/**
 * The ledger row of a task.
 * @param result of a completed task, from its artifact `<taskId>.result`
 */
export const rowOf = (task: Task, result?: Json): LedgerRow => ({
  taskId: task.taskId,
  contextId: task.contextId,
  tenant: task.tenant,
  owner: task.owner,
  revision: task.revision,
  status: rowStatusOf(task.state),
  state: a2aStateOf(task.state, task.stoppedBy),
  admitted: task.admitted,
  ...optional(task),
  ...(result !== undefined && { result }),
  children: { total: task.childCount },
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
  losses: rowLosses(task),
});
