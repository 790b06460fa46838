import { factOn, putOn } from '../shelves.js';
import { without, type Draft, type RecordedOf } from './draft.js';
import { close, moveTo } from './status.js';

/** The first request under an id stands for it, and tells whether the cancellation began here. */
const remember = (draft: Draft, { data, revision }: RecordedOf<'CancellationRequested'>): void => {
  const { cancellationId, request, stoppedBy } = data;
  if (factOn(draft.requests, cancellationId) !== undefined) return;
  const fact = { revision, root: stoppedBy === 'user', cascade: request.cascade };
  draft.requests = putOn(draft.requests, cancellationId, fact);
};

/** The state stays: the agent is only asked. */
export const requested = (draft: Draft, event: RecordedOf<'CancellationRequested'>): void => {
  remember(draft, event);
  const { data } = event;
  const { cancellationId, request, stoppedBy, dueAt } = data;
  draft.cancellationId = cancellationId;
  draft.openCancellation = {
    cancellationId,
    requestedAt: data.at,
    ...(dueAt !== undefined && { dueAt }),
    mode: request.mode,
    cascade: request.cascade,
    request,
    stoppedBy,
  };
};

/** Said once, it holds for this cancellation for ever. */
export const declined = (
  draft: Draft,
  { data: { at, cancellationId }, revision }: RecordedOf<'CancellationDeclined'>,
): Draft => {
  const request = factOn(draft.requests, cancellationId);
  if (request !== undefined && request.declined === undefined)
    draft.requests = putOn(draft.requests, cancellationId, { ...request, declined: { revision, at } });
  return draft.openCancellation?.cancellationId === cancellationId
    ? without(draft, ['openCancellation', 'cancellationId'])
    : draft;
};

export const canceled = (draft: Draft, event: RecordedOf<'TaskCanceled'>): Draft => {
  const ended = close(draft);
  const { cancellationId, stoppedBy, content } = event.data;
  moveTo(ended, 'canceled', event, content.body.message !== undefined);
  ended.cancellationId = cancellationId;
  ended.stoppedBy = stoppedBy;
  return ended;
};

export const stopped = (draft: Draft, event: RecordedOf<'TaskStopped'>): Draft => {
  const ended = close(draft);
  const { cancellationId, stoppedBy, content } = event.data;
  moveTo(ended, 'stopped', event, content.body.message !== undefined);
  if (cancellationId !== undefined) ended.cancellationId = cancellationId;
  ended.stoppedBy = stoppedBy;
  return ended;
};
