import { decodeEvent, streamNames } from '#application';
import { type CancellationLog, evolveCancellation } from '#domain';
import type { Position } from '#event-store';
import { listedReason } from '../projection/cancellation-rows.js';
import type { ListedCancellation, ViewMismatch } from '../reading.js';
import type { ViewDatabase } from '../store/index.js';
import { different } from './differences.js';
import { type LogParts, pagesOfStream } from './log-reading.js';

/** Compares the row of a cancellation with its own stream; `taskId` of what differs is its root. */
export const checkCancellation = async (
  view: ViewDatabase,
  log: LogParts,
  { cancellationId, position }: { readonly cancellationId: string; readonly position: Position },
): Promise<readonly ViewMismatch[]> => {
  const seen = await view.cancellation(cancellationId);
  const refolded = await refold(log, cancellationId, position);
  // Nothing to compare with where its opening cannot be read.
  if (refolded === undefined) return [];
  const { rootTaskId: taskId, revision: streamRevision } = refolded;
  const fields = different({ ...seen }, { ...listedOf(refolded) });
  const viewRevision = seen === undefined ? -1 : streamRevision;
  return fields.map((field) => ({
    taskId,
    field: `cancellation ${cancellationId}.${field}`,
    viewRevision,
    streamRevision,
  }));
};

const refold = async (
  log: LogParts,
  cancellationId: string,
  until: Position,
): Promise<CancellationLog | undefined> => {
  const { namespace } = log;
  let folded: CancellationLog | undefined;
  for await (const page of pagesOfStream(log, streamNames(namespace).cancellation(cancellationId), until))
    for (const recorded of page) {
      const decoded = decodeEvent(recorded, namespace);
      if (decoded.kind === 'cancellation') folded = evolveCancellation(folded, decoded.event);
    }
  return folded;
};

const listedOf = (log: CancellationLog): ListedCancellation => {
  const { cancellationId, rootTaskId, requestedAt, request, status, settledAt, confirmedAt } = log;
  const reason = listedReason(log.reason);
  return {
    ...{ cancellationId, rootTaskId, requestedAt, status },
    ...{ requestedBy: request.requestedBy, mode: request.mode },
    ...(reason !== null && { reason }),
    ...(settledAt !== undefined && { settledAt }),
    ...(confirmedAt !== undefined && { confirmedAt }),
    descendantsOnly: log.descendantsOnly,
    parentEnded: log.parentEnded ?? false,
  };
};
