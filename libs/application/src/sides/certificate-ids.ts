import type { CancellationEvent } from '#domain';
import { nameBasedUuid } from '../identity/name-based.js';

/** What an event of a certificate says beyond its type and its place, short enough to be hashed for each. */
const saidBy = (event: CancellationEvent): readonly (string | number)[] => {
  switch (event.type) {
    case 'CancellationOpened':
      return [event.data.rootTaskId, event.data.rootRevision ?? 'descendants'];
    case 'NodeWaiting':
      return [event.data.node.taskId, event.data.node.dueAt ?? ''];
    case 'NodesSettled':
      return event.data.nodes.flatMap(({ taskId, outcome }) => [taskId, outcome]);
    case 'WorkersNotified':
      return [event.data.to, event.data.through, ...event.data.taskIds];
    case 'WorkerAcknowledged':
      return [event.data.taskId, event.data.by.principal];
    case 'WorkerWroteLate':
      return [event.data.taskId, event.data.principal, event.data.attempted];
    default:
      return [];
  }
};

/**
 * Id of an event of a cancellation's stream. The opening's is the same wherever it is written from; any other may be
 * said again later, so that its revision belongs to it. And its moment: a store takes an append for the repetition of
 * another by the ids alone, and two processes may say the same at the same place.
 */
export const certificateEventId = (
  logId: string,
  cancellationId: string,
  event: CancellationEvent,
  revision: number,
): string => {
  const said = saidBy(event);
  const place = event.type === 'CancellationOpened' ? [] : [revision];
  return nameBasedUuid([event.type, logId, cancellationId, event.data.at, ...place, ...said]);
};
