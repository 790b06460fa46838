import type { FastifyRequest } from 'fastify';
import { invalid, isId } from '#domain';

/** Node joins most repeated headers with a comma, which a single value may hold as well. */
const isRepeated = (request: FastifyRequest, name: string, value: string): boolean =>
  value.includes(',') && (request.raw.headersDistinct[name]?.length ?? 0) > 1;

/**
 * The value of a header that can have only one.
 * @throws DomainError `invalid-request` naming the header when it is given more than once
 */
export const singleHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || isRepeated(request, name, value))
    throw invalid(name, 'is given more than once');
  return value;
};

/** The same of a header that says as little when it is empty as when it is absent. */
export const filledHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = singleHeader(request, name);
  return value === '' ? undefined : value;
};

/**
 * `Idempotency-Key` of a write, on every surface. An empty one is refused: whoever sends it believes to be protected.
 * @throws DomainError `invalid-request`
 */
export const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = singleHeader(request, 'idempotency-key');
  if (key === undefined || isId(key)) return key;
  throw invalid('idempotency-key', 'must have 1 to 256 characters and no control characters');
};
