import type { FastifyRequest } from 'fastify';

/** W3C trace context, version 00 and later. */
const traceparentForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** What ties an event to the request that caused it. A malformed traceparent is dropped, as its specification says. */
export const traceOf = (request: FastifyRequest): { requestId: string; traceparent?: string } => {
  const { traceparent } = request.headers;
  return typeof traceparent === 'string' && traceparentForm.test(traceparent)
    ? { requestId: request.id, traceparent }
    : { requestId: request.id };
};
