import type { LedgerRow } from '#domain';
import { type Answer, isConnectionLost, type ListedRows, type StoredEvent } from '../../../support/index.js';
import type { Answered, Refusal, WriteSaid } from '../checker/operations.js';

const refusalIn = (answer: Answer<unknown>): Refusal => {
  const { code, taskId, revision, state, from, cancellationId } = answer.problem as unknown as Refusal;
  return {
    code,
    ...(taskId !== undefined && { taskId }),
    ...(revision !== undefined && { revision }),
    ...(state !== undefined && { state }),
    ...(from !== undefined && { from }),
    ...(cancellationId !== undefined && { cancellationId }),
  };
};

const noAnswer = { kind: 'unknown' } as const;
const timedOut = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'TimeoutError';

/** An instance that is not running at all. */
export class NotRunningError extends Error {}

/** Waits for an answer; none at all, and 503, leave open what became of the question. */
export const answered = async <Said>(
  asking: () => Promise<Answer<unknown>>,
  saidIn: (answer: Answer<unknown>) => Said,
): Promise<Answered<Said>> => {
  try {
    const answer = await asking();
    if (answer.status === 503) return noAnswer;
    if (answer.status >= 400) return { kind: 'refused', refusal: refusalIn(answer) };
    return { kind: 'done', said: saidIn(answer) };
  } catch (error) {
    if (isConnectionLost(error) || timedOut(error) || error instanceof NotRunningError) return noAnswer;
    throw error;
  }
};

export const isStale = ({ headers }: Answer<unknown>): boolean => headers.get('ledger-stale') === 'true';

const taggedRevision = ({ etag }: Answer<unknown>): number =>
  Number(/^"(\d+)"$/.exec(etag ?? '')?.[1] ?? NaN);

/** A row, or the answer of a cancellation: revision and state are told by either. */
export const writeSaid = (answer: Answer<unknown>): WriteSaid => {
  const { taskId, state, cancellationId, revision } = answer.body as LedgerRow;
  const tagged = taggedRevision(answer);
  if (revision !== undefined && revision !== tagged)
    throw new Error(`the body says revision ${String(revision)}, the tag ${String(tagged)}`);
  const { position } = answer;
  return {
    taskId,
    state,
    revision: tagged,
    ...(position !== null && { position }),
    ...(cancellationId !== undefined && { cancellationId }),
  };
};

export const rowSaid = (answer: Answer<unknown>): { revision: number; state: string; stale: boolean } => {
  const { revision, state } = answer.body as LedgerRow;
  return { revision, state, stale: isStale(answer) };
};

export const replaySaid = (answer: Answer<unknown>): ReturnType<typeof rowSaid> => {
  const { row } = answer.body as { row: LedgerRow };
  return { revision: row.revision, state: row.state, stale: isStale(answer) };
};

export const eventsSaid = (answer: Answer<unknown>): { ids: readonly string[]; stale: boolean } => {
  const { events } = answer.body as { events: readonly StoredEvent[] };
  return { ids: events.map(({ id }) => id), stale: isStale(answer) };
};

export interface ListSaid {
  readonly position: string;
  readonly stale: boolean;
  readonly rows: readonly { readonly taskId: string; readonly revision: number; readonly state: string }[];
  readonly nextPageToken: string;
}

/** One page of a list. */
export const listSaid = (answer: Answer<unknown>): ListSaid => {
  const { rows, position, nextPageToken } = answer.body as ListedRows;
  return {
    position,
    stale: isStale(answer),
    rows: rows.map(({ taskId, revision, state }) => ({ taskId, revision, state })),
    nextPageToken,
  };
};
