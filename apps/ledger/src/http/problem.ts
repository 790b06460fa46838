import { DomainError, type ErrorCode } from '#domain';
import { bodyBytesMax } from './json-body.js';

/** The media type of every error of the ledger API (RFC 9457). */
export const problemType = 'application/problem+json';

/** Seconds after which a refused client may try again; sent with 429 and 503. */
export const retryAfterSeconds = 1;

type EdgeCode = ErrorCode | 'route-not-found' | 'internal';

/** The one table from a stable code to HTTP. */
export const problems = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'No caller' },
  forbidden: { status: 403, title: 'Not allowed to this role' },
  'task-not-found': { status: 404, title: 'No such task' },
  'cancellation-not-found': { status: 404, title: 'No such cancellation' },
  'route-not-found': { status: 404, title: 'No such path' },
  'task-is-terminal': { status: 409, title: 'The task has ended' },
  'transition-not-allowed': { status: 409, title: 'The state cannot change like this' },
  'link-refused': { status: 409, title: 'The link is not possible' },
  'idempotency-conflict': { status: 409, title: 'The idempotency key was used for another request' },
  'claim-lost': { status: 409, title: 'The claim is lost' },
  'cancellation-open': { status: 409, title: 'A cancellation is open' },
  'revision-mismatch': { status: 412, title: 'The task stands at another revision' },
  'payload-too-large': { status: 413, title: 'Too large' },
  'artifact-not-open': { status: 422, title: 'The artifact was never opened' },
  'artifact-sealed': { status: 422, title: 'The artifact is sealed' },
  'answer-refused': { status: 422, title: 'The answer does not fit the question' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Not available now' },
  'task-unreadable': { status: 503, title: 'The task holds an event that this version cannot read' },
} as const satisfies Record<EdgeCode, { status: number; title: string }>;

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: EdgeCode;
  readonly detail: string;
  readonly [field: string]: unknown;
}

const problem = (code: EdgeCode, detail: string, fields: Readonly<Record<string, unknown>> = {}): Problem => {
  const { title, status } = problems[code];
  const members = { type: `urn:ledger:problem:${code}`, title, status, code, detail };
  // First for the order in which they are read, last so that no field can stand in their place.
  return { ...members, ...fields, ...members };
};

/** What the HTTP layer itself refuses, by its codes; everything else it throws is a malformed request or our fault. */
const transportProblem = (code: string, status: number): Problem | undefined => {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return problem('payload-too-large', 'The body is too large.', { limit: bodyBytesMax });
  }
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return problem('invalid-request', 'The path is malformed.', { field: 'path' });
  }
  if (status === 404) return problem('route-not-found', 'Nothing is served here.');
  if (status === 413)
    return problem('payload-too-large', 'The request is too large.', { limit: bodyBytesMax });
  if (status === 415) {
    return problem('invalid-request', 'The content type is malformed.', { field: 'content-type' });
  }
  if (status === 503) return problem('unavailable', 'The service takes no requests now.');
  return status >= 400 && status < 500
    ? problem('invalid-request', 'The request is malformed.', { field: 'body' })
    : undefined;
};

const statusOf = (error: object): number => {
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  if ('getStatus' in error && typeof error.getStatus === 'function')
    return Number(error.getStatus.call(error));
  return 500;
};

const codeOf = (error: object): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

/** Errors of the event store that reach the edge as they are, by their stable codes. */
const storeProblem = (code: string, error: object): Problem | undefined => {
  if (code === 'append-too-large') {
    const limit = 'limit' in error ? error.limit : undefined;
    return problem('payload-too-large', 'The request is too large to be stored.', { limit });
  }
  return code === 'store-unavailable' || code === 'outcome-unknown'
    ? problem('unavailable', 'The event store takes nothing now.')
    : undefined;
};

/** Any error as an answer. An error that nobody expected says nothing of itself. */
export const toProblem = (error: unknown): Problem => {
  if (error instanceof DomainError) return problem(error.code, error.message, error.detail);
  if (typeof error === 'object' && error !== null) {
    const known = storeProblem(codeOf(error), error) ?? transportProblem(codeOf(error), statusOf(error));
    if (known !== undefined) return known;
  }
  return problem('internal', 'Something went wrong; the log names the request.');
};
