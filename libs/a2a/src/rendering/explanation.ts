import { Role, type Message as WireMessage } from '@a2a-js/sdk';
import type { StoppedBy, Task } from '#domain';

const causes = {
  operator: 'Stopped by an operator',
  deadline: 'Stopped at its deadline',
  'lease-expired': 'Stopped because its worker went silent',
  orphaned: 'Stopped because its parent ended',
  superseded: 'Stopped because another task took its place',
  peer: 'Stopped by the peer that ran it',
  policy: 'Stopped by policy',
  system: 'Stopped by the ledger',
  user: 'Canceled by request',
  parent: 'Canceled with its parent',
} as const satisfies Record<StoppedBy, string>;

const withReason = (what: string, reason: string | undefined): string =>
  reason === undefined ? `${what}.` : `${what}: ${reason}`;

/** What a status says where the agent said nothing; undefined where nothing needs saying. */
const explanationText = (
  task: Pick<Task, 'state' | 'stoppedBy'>,
  reason: string | undefined,
): string | undefined => {
  switch (task.state) {
    case 'stopped':
      return withReason(causes[task.stoppedBy ?? 'system'], reason);
    case 'canceled':
      return reason === undefined ? undefined : withReason(causes[task.stoppedBy ?? 'user'], reason);
    case 'failed':
      return reason === undefined ? undefined : withReason('Failed', reason);
    case 'rejected':
      return reason === undefined ? undefined : withReason('Rejected', reason);
    case 'auth-required': // Specification §7.6.1: this state always carries a message.
      return withReason('The agent needs authorization to go on', reason);
    default:
      return undefined;
  }
};

/** A message of the ledger's own. Its id is derived, so that every reader is shown the same one. */
export const ledgerMessage = (
  task: Pick<Task, 'taskId' | 'contextId'>,
  revision: number,
  text: string,
): WireMessage => ({
  messageId: `${task.taskId}.status-${String(revision)}`,
  contextId: task.contextId,
  taskId: task.taskId,
  role: Role.ROLE_AGENT,
  parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

/** The status message of a task whose status event, at `task.statusRevision`, carries none. */
export const explanationOf = (task: Task, reason: string | undefined): WireMessage | undefined => {
  const text = explanationText(task, reason);
  return text === undefined ? undefined : ledgerMessage(task, task.statusRevision, text);
};
