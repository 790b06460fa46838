import type { LoggedEvent } from './operations.js';

/** What a task is after one of its events, told from event types alone: a second opinion, not the ledger's own fold. */
export interface Moment {
  readonly event: LoggedEvent;
  readonly state: string;
  readonly isOver: boolean;
  /** Of the cancellation that is asked for and not answered. */
  readonly openCancellation?: string;
  readonly stoppedBy?: string;
}

const stateAfter: Readonly<Record<string, string>> = {
  TaskSubmitted: 'submitted',
  TaskStarted: 'working',
  TaskResumed: 'working',
  TaskInputRequested: 'input-required',
  TaskAuthRequested: 'auth-required',
  TaskCompleted: 'completed',
  TaskFailed: 'failed',
  TaskRejected: 'rejected',
  TaskCanceled: 'canceled',
  TaskStopped: 'stopped',
};

const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'canceled', 'stopped']);
export const isEnd = (state: string): boolean => ends.has(state);

/** The name under which the API shows a state. */
export const shownAs = ({ state, stoppedBy }: Pick<Moment, 'state' | 'stoppedBy'>): string => {
  if (state !== 'stopped') return `TASK_STATE_${state.replace('-', '_').toUpperCase()}`;
  return stoppedBy === 'user' || stoppedBy === 'parent' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_FAILED';
};

/** Whether an agent may move a task on like this. The same state again is no move. */
export const mayBecome = (to: string, { state, isOver, openCancellation }: Moment): boolean => {
  if (isOver || to === state || to === 'submitted') return false;
  return to !== 'canceled' || openCancellation !== undefined;
};

const openAfter = (event: LoggedEvent, before: Moment | undefined): string | undefined => {
  if (event.type === 'CancellationRequested') return event.cancellationId;
  return event.type === 'CancellationDeclined' ? undefined : before?.openCancellation;
};

const momentAfter = (event: LoggedEvent, before: Moment | undefined): Moment => {
  const state = stateAfter[event.type] ?? before?.state ?? 'unborn';
  const openCancellation = openAfter(event, before);
  return {
    event,
    state,
    isOver: isEnd(state),
    ...(openCancellation !== undefined && { openCancellation }),
    ...(event.stoppedBy !== undefined && { stoppedBy: event.stoppedBy }),
  };
};

/** A task's own stream, moment by moment: the index is the revision. */
export type Story = readonly Moment[];

export const storyOf = (events: readonly LoggedEvent[]): Story => {
  const moments: Moment[] = [];
  for (const event of events) moments.push(momentAfter(event, moments.at(-1)));
  return moments;
};

export const storiesOf = (log: readonly LoggedEvent[]): ReadonlyMap<string, Story> => {
  const streams = new Map<string, LoggedEvent[]>();
  for (const event of log) {
    if (event.stream !== 'task') continue;
    const known = streams.get(event.taskId);
    if (known === undefined) streams.set(event.taskId, [event]);
    else known.push(event);
  }
  return new Map([...streams].map(([taskId, events]) => [taskId, storyOf(events)]));
};
