import type { FastifyRequest } from 'fastify';
import type { WriteOptions } from '#application';
import { invalid, isId } from '#domain';

const one = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  if (Array.isArray(value)) throw invalid(name, 'is given more than once');
  return value;
};

const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = one(request, 'idempotency-key');
  if (key === undefined || isId(key)) return key;
  throw invalid('idempotency-key', 'must have 1 to 256 characters and no control characters');
};

const ifMatchOf = (request: FastifyRequest): number | undefined => {
  const tag = one(request, 'if-match');
  if (tag === undefined) return undefined;
  const revision = /^"(\d{1,15})"$/.exec(tag)?.[1];
  if (revision === undefined) throw invalid('if-match', 'must be a revision in quotes, such as "3"');
  return Number(revision);
};

/** `Idempotency-Key` and `If-Match` of a write. @throws DomainError `invalid-request` naming the header */
export const writeOptionsOf = (request: FastifyRequest): WriteOptions => {
  const idempotencyKey = idempotencyKeyOf(request);
  const ifMatch = ifMatchOf(request);
  return {
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
};

/** An empty header says as little as an absent one. */
const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

/** `Ledger-Wait-For`: a position in its edge form; who reads it checks it against the log. */
export const waitForOf = (request: FastifyRequest): string | undefined =>
  given(one(request, 'ledger-wait-for'));

export const lastEventIdOf = (request: FastifyRequest): string | undefined =>
  given(one(request, 'last-event-id'));

export const wantsEventStream = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('text/event-stream');
