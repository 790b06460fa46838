import type { LinkPolicy } from '../task/events.js';

/** Outcomes that a certificate counts. */
export const nodeOutcomes = [
  'canceled',
  'forced',
  'alreadyTerminal',
  'lostRace',
  'abandoned',
  'refused',
  'unreachable',
  'unknownRemote',
] as const;

/** What became of one task of a cancellation's scope; read from the task's stream, never from a command's result. */
export type NodeOutcome = (typeof nodeOutcomes)[number];

export const workerStates = [
  'none',
  'unnotified',
  'notified',
  'acknowledged',
  'leaseExpired',
  'wroteLate',
] as const;

/**
 * What is known of the worker behind a task. `none`: there is nothing for a worker to hear, for the work was never
 * taken up, or this cancellation did not end the task. `none`, `acknowledged` and `leaseExpired` are closed.
 */
export type WorkerState = (typeof workerStates)[number];

/** How a cancellation came to a task. */
export interface NodePlace {
  readonly taskId: string;
  /** Absent for the root. */
  readonly parentTaskId?: string;
  /** The root has 0. */
  readonly depth: number;
  /** Of the link over which it came. */
  readonly policy?: LinkPolicy;
  /** The link lost the race against its parent's end. */
  readonly late?: true;
  /** `at` of the event that let the cancellation come here: the root's own, or the end of the asked task above. */
  readonly reachedAt: string;
}

/** A task whose outcome is final. */
export interface SettledNode extends NodePlace {
  readonly outcome: NodeOutcome;
  /** The other cancellation that ended it. */
  readonly by?: string;
  /** Of the event in the task's own stream that settled it: its end, or the decline. */
  readonly revision?: number;
  readonly settledAt: string;
  /** `none`, `unnotified`, or `acknowledged` where the agent reported the end itself. */
  readonly worker: 'none' | 'unnotified' | 'acknowledged';
  /** The principal of that agent. */
  readonly acknowledgedBy?: string;
  readonly attempts: number;
  readonly lastError?: string;
}

/** A task that is asked, or waited for; it gets its line when it has ended. */
export interface WaitingNode extends NodePlace {
  /** Of the request it is waited for, where one is open. */
  readonly dueAt?: string;
}
