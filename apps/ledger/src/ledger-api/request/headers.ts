import type { FastifyRequest } from 'fastify';
import type { WriteOptions } from '#application';
import { invalid } from '#domain';
import { filledHeader, idempotencyKeyOf, singleHeader } from '../../http/headers.js';

const ifMatchForm = /^"(0|[1-9]\d{0,14})"$/;

const ifMatchOf = (request: FastifyRequest): number | undefined => {
  const tag = singleHeader(request, 'if-match');
  if (tag === undefined) return undefined;
  const revision = ifMatchForm.exec(tag)?.[1];
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

/** `Ledger-Wait-For`: a position in its edge form; who reads it checks it against the log. */
export const waitForOf = (request: FastifyRequest): string | undefined =>
  filledHeader(request, 'ledger-wait-for');

export const lastEventIdOf = (request: FastifyRequest): string | undefined =>
  filledHeader(request, 'last-event-id');

export const wantsEventStream = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('text/event-stream');
