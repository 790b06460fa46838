import { toTaskJson } from '#a2a';
import type { LedgerRow } from '#domain';
import { type Dialect, lossesOf } from './dialect.js';

/** Members of a row that a Task of A2A 1.0 has no place for. */
const notes = {
  stoppedBy: 'a state alone cannot carry who or what ended the task',
  checkpointToken: 'A2A resumes by a message, without a token',
  link: 'A2A knows no attachment to a run, a subagent or a turn',
  parentTaskId: 'A2A knows no parent',
  policy: 'A2A knows no parent',
  onEnd: 'A2A knows no parent',
  askSchema: 'a question carries no schema of its answer',
  deadline: 'A2A knows no deadline',
  cancellationId: 'A2A does not name the cancellation that ended a task',
  owner: 'a Task does not name its owner',
  admitted: 'a state alone does not say whether the task was ever begun',
} as const;

/** The metadata under our extension names a cancellation for as long as its request is open. */
const has =
  (row: LedgerRow) =>
  (field: string): boolean =>
    Object.hasOwn(row, field) && !(field === 'cancellationId' && row.cancellation !== undefined);

/** A2A 1.0 Task in ProtoJSON (specification §4.1.1), as GetTask answers it. */
export const a2a10: Dialect = ({ task, document, row }) => ({
  value: toTaskJson(task, document),
  losses: lossesOf(notes, has(row)),
});
