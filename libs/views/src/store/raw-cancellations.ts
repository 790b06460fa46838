import type { DueTimer } from '#application';
import type { CancelMode, RequestedBy } from '#domain';
import type { ListedCancellation } from '../reading.js';
import type { RawCancellation } from './statements/cancellation-lists.js';
import type { CancellationQuery, CancellationRoot, Page } from './view-database.js';

export interface RawTimer {
  readonly taskId: string;
  readonly kind: string;
  readonly dueAt: number;
  readonly cancellationId: string | null;
}

const requestedByOf = ({ principal, role, via, requestId }: RawCancellation): RequestedBy => ({
  principal,
  role: role as RequestedBy['role'],
  via,
  ...(requestId !== null && { requestId }),
});

export const listedOf = (raw: RawCancellation): ListedCancellation => ({
  cancellationId: raw.cancellationId,
  rootTaskId: raw.rootTaskId,
  requestedAt: raw.requestedAt,
  requestedBy: requestedByOf(raw),
  mode: raw.mode as CancelMode,
  ...(raw.reason !== null && { reason: raw.reason }),
  status: raw.status,
  ...(raw.settledAt !== null && { settledAt: raw.settledAt }),
  ...(raw.confirmedAt !== null && { confirmedAt: raw.confirmedAt }),
  descendantsOnly: raw.descendantsOnly === 1,
  parentEnded: raw.parentEnded === 1,
});

export const rootOf = (raw: RawCancellation | undefined): CancellationRoot | undefined => {
  if (raw === undefined || raw.rootRevision === null) return undefined;
  return { rootTaskId: raw.rootTaskId, rootRevision: raw.rootRevision };
};

export const timerOf = ({ taskId, kind, dueAt, cancellationId }: RawTimer): DueTimer => ({
  taskId,
  dueAt: new Date(dueAt).toISOString(),
  kind: kind as DueTimer['kind'],
  ...(cancellationId !== null && { cancellationId }),
});

/** The page of what was found, which is one more than it holds where there is another page. */
export const cancellationPageOf = (
  found: readonly RawCancellation[],
  { size, after }: CancellationQuery,
  view: { readonly position: string; readonly generation: string },
): Page<ListedCancellation> => {
  const shown = found.slice(0, size);
  const last = shown.at(-1);
  return {
    items: shown.map(listedOf),
    ...(found.length > size &&
      last !== undefined && { next: { at: last.requestedAt, id: last.cancellationId } }),
    position: after?.asOf ?? view.position,
    generation: view.generation,
    tooOld: false,
  };
};
