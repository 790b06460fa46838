import { Role, type Message as WireMessage } from '@a2a-js/sdk';
import type { StoppedBy, Task } from '#domain';

type Explained = Pick<Task, 'state' | 'stoppedBy' | 'parent' | 'cancellationId' | 'deadline'>;

/** ` <id>` where the task hangs under a parent, which the client may look up. */
const parentOf = ({ parent }: Explained): string => (parent === undefined ? '' : ` ${parent.taskId}`);

/** The cancellation whose certificate tells the rest. */
const underOf = ({ cancellationId }: Explained): string =>
  cancellationId === undefined ? '' : ` (cancellation ${cancellationId})`;

const causes = {
  operator: () => 'Stopped by an operator',
  deadline: ({ deadline }) =>
    deadline === undefined ? 'Stopped at its deadline' : `Stopped at its deadline, ${deadline}`,
  'lease-expired': () => 'Stopped because its worker went silent',
  orphaned: (task) => `Stopped because its parent${parentOf(task)} ended${underOf(task)}`,
  superseded: () => 'Stopped because another task took its place',
  peer: () => 'Stopped by the peer that ran it',
  policy: () => 'Stopped by policy',
  system: () => 'Stopped by the ledger',
  user: () => 'Canceled by request',
  parent: (task) => `Canceled with its parent${parentOf(task)}${underOf(task)}`,
} as const satisfies Record<StoppedBy, (task: Explained) => string>;

const withReason = (what: string, reason: string | undefined): string =>
  reason === undefined ? `${what}.` : `${what}: ${reason}`;

/** Whoever cancelled a task knows why; whoever watches one that went with its parent does not. */
const canceledText = (task: Explained, reason: string | undefined): string | undefined => {
  const cause = task.stoppedBy ?? 'user';
  return cause === 'user' && reason === undefined ? undefined : withReason(causes[cause](task), reason);
};

/** What a status says where the agent said nothing; undefined where nothing needs saying. */
const explanationText = (task: Explained, reason: string | undefined): string | undefined => {
  switch (task.state) {
    case 'stopped':
      return withReason(causes[task.stoppedBy ?? 'system'](task), reason);
    case 'canceled':
      return canceledText(task, reason);
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
