import {
  A2AError,
  InvalidAgentResponseError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  type A2AErrorOptions,
} from '@a2a-js/sdk/errors';
import { DomainError, type ErrorCode } from '#domain';

/** What the caller wanted: an ended task answers a cancel otherwise than a message. */
export type Operation = 'send' | 'get' | 'list' | 'cancel' | 'subscribe';

type ErrorClass = new (options?: A2AErrorOptions) => A2AError;

/**
 * The one table from the ledger's codes to the SDK's error classes, which every transport maps to the codes of the
 * specification (§5.4). `A2AError` itself is -32603. C03: never -32603 for a client's mistake.
 */
const classes = {
  'invalid-request': RequestMalformedError,
  'idempotency-conflict': RequestMalformedError,
  'payload-too-large': RequestMalformedError,
  'revision-mismatch': RequestMalformedError,
  'link-refused': RequestMalformedError,
  'answer-refused': RequestMalformedError,
  'task-not-found': TaskNotFoundError,
  'cancellation-not-found': TaskNotFoundError,
  'task-is-terminal': UnsupportedOperationError,
  'cancellation-open': UnsupportedOperationError,
  'transition-not-allowed': UnsupportedOperationError,
  'claim-lost': UnsupportedOperationError,
  'artifact-not-open': InvalidAgentResponseError,
  'artifact-sealed': InvalidAgentResponseError,
  unauthenticated: A2AError,
  forbidden: A2AError,
  'rate-limited': A2AError,
  unavailable: A2AError,
  'task-unreadable': A2AError,
} as const satisfies Record<ErrorCode, ErrorClass>;

const classOf = (code: ErrorCode, operation: Operation): ErrorClass =>
  code === 'task-is-terminal' && operation === 'cancel' ? TaskNotCancelableError : classes[code];

/** Absent and forbidden look the same; of the ledger's own trouble only that it is worth trying again. */
const fixedMessages: Partial<Record<ErrorCode, string>> = {
  'task-not-found': 'Task not found',
  'cancellation-not-found': 'Task not found',
  unavailable: 'The ledger takes no requests now; try again.',
  'task-unreadable': 'The task cannot be read to its end; try again later.',
  'rate-limited': 'Too many requests; try again later.',
};

const detailOf = (error: DomainError): Record<string, string> => {
  const facts: Record<string, string> = { code: error.code };
  if (error.code in fixedMessages) return facts;
  for (const [name, value] of Object.entries(error.detail)) facts[name] = String(value);
  return facts;
};

/** An error that tells nothing of itself. */
export const internalError = (): A2AError => new A2AError('Internal error.');

/** Any error as one of the SDK's. `code`, and what the ledger says with it, stand in `ErrorInfo.metadata`. */
export const toA2AError = (error: unknown, operation: Operation): A2AError => {
  if (error instanceof A2AError) return error;
  if (!(error instanceof DomainError)) return internalError();
  const ErrorOfCode = classOf(error.code, operation);
  return new ErrorOfCode({ message: fixedMessages[error.code] ?? error.message, metadata: detailOf(error) });
};

/** Whether the log should be told: nothing the ledger itself refused. */
export const isUnexpected = (error: unknown): boolean =>
  !(error instanceof A2AError) && !(error instanceof DomainError);
