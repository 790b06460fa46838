import {
  semaRowOf,
  semaStateOf,
  type LedgerRow,
  type Loss,
  type SemaState,
  type Task,
  type TaskState,
} from '#domain';
import { type Dialect, lossesOf, type TaskRecord } from './dialect.js';

/** The exact state in sema's names; `stopped` has none of its own and is told by `stoppedBy`. */
const exactStates = {
  submitted: 'submitted',
  working: 'working',
  'input-required': 'input-required',
  'auth-required': 'auth-required',
  completed: 'completed',
  failed: 'failed',
  rejected: 'rejected',
  canceled: 'canceled',
  stopped: undefined,
} as const satisfies Record<TaskState, SemaState | undefined>;

/** What a row of five words loses of the exact state: nothing when its own projection leads back to it. */
const stateLosses = (task: Task, row: LedgerRow): readonly Loss[] => {
  const exact = exactStates[task.state];
  if (exact === undefined || exact === semaStateOf(row)) return [];
  // Our rows park a task that waits for credentials; sema's own mapping would have failed it.
  if (exact === 'auth-required') {
    return [
      { field: 'state', note: 'a parked row shows as input-required; that credentials are wanted is lost' },
    ];
  }
  return semaRowOf(exact).losses;
};

/** Content and bindings that a row of sema has no place for. */
const notes = {
  messages: 'a row holds no messages',
  artifacts: 'a row holds no artifacts',
  metadata: 'a row holds no metadata of its task',
  contextId: 'a row belongs to no context',
  link: 'a row is not attached to a run, a subagent or a turn',
  askSchema: 'a row holds no schema of the answer it waits for',
  deadline: 'a row holds no deadline',
  policy: 'a row names its parent, and not what a cancel of it does to the task',
  onEnd: 'a row names its parent, and not what another end of it does to the task',
  cancellationId: 'a row says who or what stopped its task, and names no cancellation',
  cancellation: 'a row that is asked to stop looks like one that is not',
} as const;

const has =
  ({ document, row }: TaskRecord) =>
  (field: string): boolean => {
    if (field === 'messages') return document.messages.length > 0;
    if (field === 'artifacts') return document.artifacts.length > 0;
    return field === 'metadata' ? document.metadata !== undefined : Object.hasOwn(row, field);
  };

/** sema's durable row, and the A2A state (0.3 spelling) that sema itself would read from it. */
export const sema: Dialect = (record) => {
  const { row } = record;
  return {
    value: {
      taskId: row.taskId,
      ...(row.parentTaskId === undefined ? {} : { parentTaskId: row.parentTaskId }),
      status: row.status,
      ...(row.stoppedBy === undefined ? {} : { stoppedBy: row.stoppedBy }),
      ...(row.checkpointToken === undefined ? {} : { checkpointToken: row.checkpointToken }),
      ...(row.result === undefined ? {} : { result: row.result }),
      state: semaStateOf(row),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    },
    losses: [...stateLosses(record.task, row), ...lossesOf(notes, has(record))],
  };
};
