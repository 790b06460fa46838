import type { A2AState, TaskState } from '#domain';
import type { ListFilter } from '#views';
import type { RowsQuery } from './dto/queries.dto.js';

/** The ledger's states behind each name of A2A: killed by anything but a cancellation shows as failed. */
const statesOf = {
  TASK_STATE_SUBMITTED: ['submitted'],
  TASK_STATE_WORKING: ['working'],
  TASK_STATE_INPUT_REQUIRED: ['input-required'],
  TASK_STATE_AUTH_REQUIRED: ['auth-required'],
  TASK_STATE_COMPLETED: ['completed'],
  TASK_STATE_FAILED: ['failed', 'stopped'],
  TASK_STATE_REJECTED: ['rejected'],
  TASK_STATE_CANCELED: ['canceled'],
} as const satisfies Record<A2AState, readonly TaskState[]>;

type Defined<Filter> = { [Key in keyof Filter]: Filter[Key] | undefined };

/** Leaves out what was not asked for. */
const defined = (filter: Defined<ListFilter>): ListFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

export const filterOf = (query: RowsQuery): ListFilter =>
  defined({
    status: query.status,
    states: query.state === undefined ? undefined : statesOf[query.state],
    stoppedBy: query.stoppedBy,
    contextId: query.contextId,
    parentTaskId: query.parentTaskId,
    rootTaskId: query.rootTaskId,
    link: query.link,
    updatedAfter: query.updatedAfter,
  });
