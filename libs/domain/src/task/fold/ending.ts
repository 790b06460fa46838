import type { RecordedTaskEvent } from '../events.js';
import { factOn } from '../shelves.js';
import type { EndFact, OpenState, Task } from '../state.js';
import type { RecordedOf } from './draft.js';

type CancellationFacts = Pick<EndFact, 'cancellationId' | 'root' | 'request' | 'forced' | 'acknowledgedBy'>;

/** A cancellation begins with the first event of a stream that names it, where it was asked for this task itself. */
const canceledBy = (
  { requests }: Task,
  { data, metadata }: RecordedOf<'TaskCanceled'>,
): CancellationFacts => {
  const { cancellationId, stoppedBy, request, forced, acknowledged } = data;
  const root = stoppedBy === 'user' && factOn(requests, cancellationId) === undefined;
  if (forced !== true && acknowledged !== true) return { cancellationId, root, request };
  return {
    ...{ cancellationId, root, request },
    ...(forced === true && { forced }),
    ...(acknowledged === true && { acknowledgedBy: metadata.principal }),
  };
};

const cancellationOf = (before: Task, event: RecordedTaskEvent): CancellationFacts => {
  if (event.type === 'TaskCanceled') return canceledBy(before, event);
  const cancellationId = event.type === 'TaskStopped' ? event.data.cancellationId : undefined;
  return { ...(cancellationId !== undefined && { cancellationId }), root: false };
};

/** How a task ends, by what it was before and by the event that ended it. */
export const endFact = (before: Task, from: OpenState, event: RecordedTaskEvent): EndFact => {
  const { openCancellation: open } = before;
  const { revision, id: eventId } = event;
  const end = Object.assign({ revision, eventId, at: event.data.at, from }, cancellationOf(before, event));
  if (open === undefined) return end;
  return { ...end, asked: { cancellationId: open.cancellationId, cascade: open.cascade } };
};
