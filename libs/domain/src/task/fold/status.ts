import { later } from '../../time.js';
import type { RecordedTaskEvent, TaskEventOf } from '../events.js';
import type { TaskState } from '../state.js';
import { isQuestion } from '../transitions.js';
import { without, type Draft, type RecordedOf } from './draft.js';

/** The status is what the event says; `at` never lets it go back in time (C07). */
export const moveTo = (
  draft: Draft,
  state: TaskState,
  event: RecordedTaskEvent,
  hasMessage: boolean,
): void => {
  draft.state = state;
  draft.statusAt = later(draft.statusAt, event.data.at);
  draft.statusRevision = event.revision;
  draft.statusHasMessage = hasMessage;
};

const questionKeys = ['checkpointToken', 'askSchema'] as const;

/** A question that is left takes its token and schema with it; a schema given at the create waits for one. */
export const leaveQuestion = (draft: Draft): Draft =>
  isQuestion(draft.state) ? without(draft, questionKeys) : draft;

type StatusEvent = Extract<RecordedTaskEvent, TaskEventOf<StatusEventType>>;
export type StatusEventType =
  'TaskStarted' | 'TaskProgressed' | 'TaskResumed' | 'TaskCompleted' | 'TaskFailed' | 'TaskRejected';

export const say = (draft: Draft, state: TaskState, event: StatusEvent): void => {
  moveTo(draft, state, event, event.data.content.body.message !== undefined);
};

export const leave = (draft: Draft, state: TaskState, event: StatusEvent): Draft => {
  const left = leaveQuestion(draft);
  say(left, state, event);
  return left;
};

/** An end answers the request that was open, and leaves nothing to answer. */
export const close = (draft: Draft): Draft =>
  without(leaveQuestion(draft), ['openCancellation', 'cancellationId']);

export const end = (draft: Draft, state: TaskState, event: StatusEvent): Draft => {
  const ended = close(draft);
  say(ended, state, event);
  return ended;
};

/** A question replaces the one before it, with token and schema. */
export const ask = (
  draft: Draft,
  state: 'input-required' | 'auth-required',
  event: RecordedOf<'TaskInputRequested'> | RecordedOf<'TaskAuthRequested'>,
): Draft => {
  const asked = leaveQuestion(draft);
  const { checkpointToken, content } = event.data;
  if (checkpointToken !== undefined) asked.checkpointToken = checkpointToken;
  if (content.body.askSchema !== undefined) asked.askSchema = content.body.askSchema;
  moveTo(asked, state, event, content.body.message !== undefined);
  return asked;
};
