import type { FastifyRequest } from 'fastify';
import type { Caller, Via } from '#domain';

/** Tells who a request comes from, before any data is touched. One instance serves every surface. */
export interface Callers {
  /** @throws DomainError `unauthenticated` or `invalid-request` */
  of(request: FastifyRequest, via: Via): Caller;
}
