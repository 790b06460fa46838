import { CallExpiredError } from '../client/waiting-calls.js';
import { ClientLeftError, type CallKind } from '../driver/client-listener.js';
import { appendBytesMax, type Revision } from '../../../port.js';

/**
 * What an error of a client means. `contact`: it is the server's own word, so the server is there; undefined: it says
 * nothing about that. `poisoned`: the client may go on failing the same way (6.2.1 remembers a failed question for the
 * server's features), so it is left.
 */
export type Verdict = Meaning & {
  readonly reason: string;
  readonly contact: boolean | undefined;
  readonly poisoned: boolean;
};

type Meaning =
  | { readonly kind: 'conflict'; readonly actual: Revision | 'none' }
  | { readonly kind: 'too-large'; readonly limit: number }
  | { readonly kind: 'stream-deleted' }
  | { readonly kind: 'access-denied' }
  /** Our clock is so far behind the server's that it takes every deadline for passed. Nothing was written. */
  | { readonly kind: 'clock-behind' }
  /** A fault of ours: the server will never take this call. Nothing was written. */
  | { readonly kind: 'refused' }
  /** A read from a position at which no event begins. */
  | { readonly kind: 'no-such-position' }
  /** A read that the server could not answer; it will fail again, or it will not. */
  | { readonly kind: 'read-failed' }
  /** It never came to the server, or the server sent it back: it can be tried again. */
  | { readonly kind: 'not-written' }
  /** An append may be there or not; a read can be tried again. */
  | { readonly kind: 'unknown' };

/** What was called, how long it took and what it was given on the wire, milliseconds. */
export interface CallFacts {
  readonly kind: CallKind;
  readonly elapsed: number;
  readonly wireDeadline: number;
}

/** What both clients' errors and the raw ones of gRPC have in common. */
interface SeenError {
  /** The client's own word for it, from its class or from the trailer that it would make the class of. */
  readonly type: string | undefined;
  readonly code: number | undefined;
  readonly text: string;
  readonly error: unknown;
}

interface Row {
  readonly when: (seen: SeenError, facts: CallFacts) => boolean;
  readonly meaning: (seen: SeenError, facts: CallFacts) => Meaning;
  readonly contact: boolean | undefined;
  readonly poisoned?: boolean;
}

/** Codes of gRPC. */
const code = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  aborted: 10,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const typed =
  (...types: string[]) =>
  ({ type }: SeenError): boolean =>
    type !== undefined && types.includes(type);

const neverConnected =
  /No connection established|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|Name resolution failed|Failed to connect|Failed to discover|certificate|Channel has been shut down/i;

/**
 * A deadline that has passed before it began is answered within milliseconds. The server's own time limit for a commit,
 * which it reports by the same error, is 2 s.
 */
const atOnceMilliseconds = 1_000;

const notWritten = (): Meaning => ({ kind: 'not-written' });
const unknown = (): Meaning => ({ kind: 'unknown' });

/** The first row that fits holds. */
const table: readonly Row[] = [
  // Left, or timed out by ourselves: whatever was under way may have reached the server.
  {
    when: ({ error }) => error instanceof ClientLeftError && !error.sent,
    meaning: notWritten,
    contact: undefined,
  },
  { when: ({ error }) => error instanceof ClientLeftError, meaning: unknown, contact: false },
  { when: ({ error }) => error instanceof CallExpiredError, meaning: unknown, contact: undefined },

  { when: typed('wrong-expected-version'), meaning: ({ error }) => conflictOf(error), contact: true },
  {
    when: (seen) =>
      typed(
        'maximum-append-size-exceeded',
        'transaction-max-size-exceeded',
        'append-record-size-exceeded',
      )(seen) || /maximum.append.*size/i.test(seen.text),
    meaning: ({ error }) => ({ kind: 'too-large', limit: maxAppendSizeOf(error) }),
    contact: true,
  },
  {
    when: typed('stream-deleted', 'stream-tombstoned'),
    meaning: () => ({ kind: 'stream-deleted' }),
    contact: true,
  },
  {
    when: (seen) =>
      typed('access-denied')(seen) ||
      seen.code === code.unauthenticated ||
      seen.code === code.permissionDenied,
    meaning: () => ({ kind: 'access-denied' }),
    contact: true,
    poisoned: true,
  },
  {
    when: (seen) => typed('deadline-exceeded')(seen) || seen.code === code.deadlineExceeded,
    meaning: (_, { elapsed, wireDeadline }) =>
      elapsed < Math.min(atOnceMilliseconds, wireDeadline / 2)
        ? { kind: 'clock-behind' }
        : { kind: 'unknown' },
    contact: true,
  },
  // It ends the stream of all appends: those before it on the same stream may have been written.
  { when: typed('not-leader'), meaning: unknown, contact: true },
  {
    when: ({ text }) => /Server Is (Not Ready|Busy|Too Busy)/i.test(text),
    meaning: notWritten,
    contact: true,
  },
  {
    when: ({ text }) => /InvalidPosition|invalid position/i.test(text),
    meaning: () => ({ kind: 'no-such-position' }),
    contact: true,
  },
  {
    when: (seen) =>
      seen.text.includes('BadRequest') ||
      typed('invalid-argument', 'missing-required-metadata-property')(seen) ||
      seen.code === code.invalidArgument,
    meaning: () => ({ kind: 'refused' }),
    contact: true,
  },
  { when: ({ text }) => neverConnected.test(text), meaning: notWritten, contact: false },
  // Without a type it is the question for the server's features, asked before anything is sent.
  {
    when: (seen) => seen.type === undefined && seen.code === code.unavailable,
    meaning: notWritten,
    contact: false,
  },
  {
    when: (seen) =>
      typed('unavailable', 'cancelled')(seen) ||
      seen.code === code.unavailable ||
      seen.code === code.cancelled ||
      /\b1 CANCELLED\b/.test(seen.text),
    meaning: unknown,
    contact: false,
  },
  // The server gave up waiting for its own replicas, or dropped a consumer that was too slow.
  { when: (seen) => typed('timeout')(seen) || seen.code === code.aborted, meaning: unknown, contact: true },
  {
    when: ({ text }) => /RST_STREAM|write after end/i.test(text),
    meaning: unknown,
    contact: false,
    poisoned: true,
  },
  {
    when: (seen, { kind }) => kind === 'read' && seen.code === code.unknown,
    meaning: () => ({ kind: 'read-failed' }),
    contact: true,
  },
  { when: () => true, meaning: unknown, contact: true, poisoned: true },
];

export const classify = (error: unknown, facts: CallFacts): Verdict => {
  const seen = seenIn(error);
  const row = table.find(({ when }) => when(seen, facts));
  // The last row fits everything.
  if (row === undefined) throw new Error('no row of the table fits');
  return {
    ...row.meaning(seen, facts),
    reason: reasonOf(seen),
    contact: row.contact,
    poisoned: row.poisoned === true,
  };
};

const seenIn = (error: unknown): SeenError => {
  const parts = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const { type, code: number, message, details } = parts;
  return {
    type: typeof type === 'string' ? type : trailerOf(parts.metadata),
    code: typeof number === 'number' ? number : undefined,
    text: textOf(message, details),
    error,
  };
};

/** gRPC puts the details into its message, as a rule. */
const textOf = (message: unknown, details: unknown): string => {
  const text = typeof message === 'string' ? message : '';
  return typeof details !== 'string' || text.includes(details) ? text : `${text} ${details}`;
};

/** The server names its errors in a trailer. */
const trailerOf = (metadata: unknown): string | undefined => {
  if (typeof metadata !== 'object' || metadata === null || !('get' in metadata)) return undefined;
  const [exception] = (metadata as { get(key: string): unknown[] }).get('exception');
  return typeof exception === 'string' ? exception : undefined;
};

const reasonOf = ({ type, text, error }: SeenError): string => {
  const line = text.split('\n')[0]?.slice(0, reasonMax) ?? '';
  if (line !== '') return line;
  return type ?? (error instanceof Error ? error.name : String(error));
};

const reasonMax = 300;

/** 6.2.1 speaks of versions, 1.3.1 of states. */
const conflictOf = (error: unknown): Meaning => {
  const { actualVersion, actualState } = error as Record<'actualVersion' | 'actualState', unknown>;
  const actual = actualVersion ?? actualState;
  return { kind: 'conflict', actual: typeof actual === 'bigint' ? Number(actual) : 'none' };
};

const maxAppendSizeOf = (error: unknown): number => {
  const { maxAppendSize } = error as { maxAppendSize?: unknown };
  return typeof maxAppendSize === 'number' ? maxAppendSize : appendBytesMax;
};
