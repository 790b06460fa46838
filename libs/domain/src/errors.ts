/**
 * The rules a caller can break, by their stable codes. The edge maps a code to each wire in one table; nothing here
 * knows HTTP or JSON-RPC.
 */
export type ErrorCode =
  | 'invalid-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'task-not-found'
  | 'cancellation-not-found'
  | 'task-is-terminal'
  | 'transition-not-allowed'
  | 'link-refused'
  | 'idempotency-conflict'
  | 'claim-lost'
  | 'cancellation-open'
  | 'revision-mismatch'
  | 'payload-too-large'
  | 'artifact-not-open'
  | 'artifact-sealed'
  | 'answer-refused'
  | 'rate-limited'
  | 'unavailable'
  | 'task-unreadable';

/** What a problem answer carries beside its code: `field` for `invalid-request`, `from`, `to`, `allowed`, …. */
export type ErrorDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** A broken rule. Nothing was stored in the task. */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: ErrorDetail = {},
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

/** Bad input: says which field and what is wrong with it. */
export const invalid = (field: string, message: string): DomainError =>
  new DomainError('invalid-request', `${field}: ${message}`, { field });
