import type { ExpectedRevision, NewEvent } from '../../port.js';

/** One append on its way to the commit thread. */
export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

/** What became of one append. `written` and `repeated`: revision and position of its last event. */
export type AppendOutcome =
  | { readonly kind: 'written' | 'repeated'; readonly revision: number; readonly position: number }
  | { readonly kind: 'conflict'; readonly actual: number | 'none' }
  | { readonly kind: 'refused' | 'unknown'; readonly reason: string };

/** Why the store cannot write now; null when it can. */
export type Trouble = string | null;

export type ToCommitThread =
  | { readonly kind: 'commit'; readonly batch: FlatBatch }
  | { readonly kind: 'probe' }
  | { readonly kind: 'limit'; readonly fileBytesMax: number }
  | { readonly kind: 'close' };

export type FromCommitThread =
  | { readonly kind: 'opened'; readonly newest: number }
  | CommittedMessage
  | { readonly kind: 'health'; readonly trouble: Trouble };

export interface CommittedMessage {
  readonly kind: 'committed';
  /** How many commit messages, the oldest ones, this answers. */
  readonly batches: number;
  /** Of their appends, in order. */
  readonly outcomes: FlatOutcomes;
  /** The store's clock, milliseconds. */
  readonly created: number;
  /** How long the transaction took. */
  readonly milliseconds: number;
  readonly trouble: Trouble;
}

/**
 * A batch crosses the thread boundary as one flat array: cloning an object per event costs the event loop several
 * times as much. Per append: stream, expected revision, number of events, then id, type, data, metadata of each.
 */
export type FlatBatch = (string | number)[];

const noStream = -1;
const anyRevision = -2;

export const flattenBatch = (requests: readonly AppendRequest[]): FlatBatch => {
  const flat: FlatBatch = [];
  for (const { stream, expected, events } of requests) {
    flat.push(stream, expectedCode(expected), events.length);
    for (const { id, type, data, metadata } of events) flat.push(id, type, data, metadata);
  }
  return flat;
};

export const readBatch = (flat: FlatBatch): AppendRequest[] => {
  const requests: AppendRequest[] = [];
  let next = 0;
  const text = (): string => String(flat[next++]);
  while (next < flat.length) {
    const stream = text();
    const expected = expectedFrom(Number(flat[next++]));
    const count = Number(flat[next++]);
    const events: NewEvent[] = [];
    for (let index = 0; index < count; index++)
      events.push({ id: text(), type: text(), data: text(), metadata: text() });
    requests.push({ stream, expected, events });
  }
  return requests;
};

const expectedCode = (expected: ExpectedRevision): number => {
  if (expected === 'none') return noStream;
  return expected === 'any' ? anyRevision : expected;
};

const expectedFrom = (code: number): ExpectedRevision => {
  if (code === noStream) return 'none';
  return code === anyRevision ? 'any' : code;
};

/** Per append three entries: its kind, then revision and position, or the actual revision, or the reason. */
export type FlatOutcomes = (string | number)[];

export const flattenOutcomes = (outcomes: readonly AppendOutcome[]): FlatOutcomes => {
  const flat: FlatOutcomes = [];
  for (const outcome of outcomes) {
    if (outcome.kind === 'conflict') flat.push(outcome.kind, outcome.actual, 0);
    else if ('reason' in outcome) flat.push(outcome.kind, outcome.reason, 0);
    else flat.push(outcome.kind, outcome.revision, outcome.position);
  }
  return flat;
};

export const readOutcome = (flat: FlatOutcomes, index: number): AppendOutcome => {
  const kind = flat[index * 3] as AppendOutcome['kind'] | undefined;
  const value = flat[index * 3 + 1];
  switch (kind) {
    case 'written':
    case 'repeated':
      return { kind, revision: Number(value), position: Number(flat[index * 3 + 2]) };
    case 'conflict':
      return { kind, actual: value === 'none' ? value : Number(value) };
    case 'refused':
    case 'unknown':
      return { kind, reason: String(value) };
    case undefined:
      return { kind: 'unknown', reason: 'the commit thread gave no answer' };
  }
};
