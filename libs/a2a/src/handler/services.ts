import type { AgentCard } from '@a2a-js/sdk';
import type { LiveTasks, TaskCommands, TaskReader } from '#application';
import type { ViewReader } from '#views';

/** What the A2A surface stands on. */
export interface A2AServices {
  readonly commands: TaskCommands;
  readonly reader: TaskReader;
  readonly live: LiveTasks;
  readonly views: Pick<ViewReader, 'listTasks'>;
  /** Asked for on every use: the public address is known only when the service listens. */
  readonly card: () => AgentCard;
  /** Longest wait of a blocking send, or of a cooperative cancel; then the task is answered as it is. Milliseconds. */
  readonly blockingTimeoutMs: number;
  /** An error that nobody expected, for the log; the client is told nothing of it. */
  readonly onUnexpected?: (error: unknown) => void;
}
