import { close, moveTo } from './status.js';
import { without, type Draft, type RecordedOf } from './draft.js';

/** The state stays: the agent is only asked. */
export const requested = (draft: Draft, { data }: RecordedOf<'CancellationRequested'>): void => {
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

export const declined = (draft: Draft, { data }: RecordedOf<'CancellationDeclined'>): Draft =>
  draft.openCancellation?.cancellationId === data.cancellationId
    ? without(draft, ['openCancellation', 'cancellationId'])
    : draft;

export const canceled = (draft: Draft, event: RecordedOf<'TaskCanceled'>): Draft => {
  const ended = close(draft);
  const { cancellationId, stoppedBy, request, content } = event.data;
  moveTo(ended, 'canceled', event, content.body.message !== undefined);
  ended.cancellationId = cancellationId;
  ended.stoppedBy = stoppedBy;
  ended.cascades = request.cascade;
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
