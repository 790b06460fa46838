import { toJsonRpcError } from '@a2a-js/sdk/errors';
import type { ErrorCode } from '#domain';
import { internalError, toA2AError, type Operation } from '../errors.js';
import { accessCode, type JsonRpcError } from './envelope.js';

const badRequestType = 'type.googleapis.com/google.rpc.BadRequest';
const retryInfoType = 'type.googleapis.com/google.rpc.RetryInfo';

/** Seconds that a client is asked to wait before it tries again. */
export const retryAfterSeconds = 1;

const worthRetrying: readonly string[] = [
  'unavailable',
  'task-unreadable',
  'rate-limited',
] satisfies ErrorCode[];
const statusOfAccess: Readonly<Record<string, number>> = { unauthenticated: 401, forbidden: 403 };

/** What stands in an ErrorInfo's metadata, if the error has one. */
const factsOf = (error: JsonRpcError): Readonly<Record<string, string>> => {
  const info = error.data?.[0] as { readonly metadata?: Readonly<Record<string, string>> } | undefined;
  return info?.metadata ?? {};
};

const moreData = (message: string, facts: Readonly<Record<string, string>>): unknown[] => {
  const { field, code } = facts;
  if (field !== undefined) {
    const description = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
    return [{ '@type': badRequestType, fieldViolations: [{ field, description }] }];
  }
  if (code === undefined || !worthRetrying.includes(code)) return [];
  return [{ '@type': retryInfoType, retryDelay: `${String(retryAfterSeconds)}s` }];
};

export interface ErrorAnswer {
  /** HTTP: 200, but for a caller who is not known (401) or may not do this (403). */
  readonly status: number;
  readonly error: JsonRpcError;
}

/** The SDK's error object with what the specification adds to it (§9.5): the field, or when to try again. */
export const completeError = (error: JsonRpcError): ErrorAnswer => {
  // An error without data is none of ours: its message may tell what it should not.
  const known = error.data === undefined && error.code === -32_603 ? toJsonRpcError(internalError()) : error;
  const facts = factsOf(known);
  const status = statusOfAccess[facts.code ?? ''];
  const data = [...(known.data ?? []), ...moreData(known.message, facts)];
  return {
    status: status ?? 200,
    error: { code: status === undefined ? known.code : accessCode, message: known.message, data },
  };
};

export const errorAnswer = (error: unknown, operation: Operation): ErrorAnswer =>
  completeError(toJsonRpcError(toA2AError(error, operation)));
