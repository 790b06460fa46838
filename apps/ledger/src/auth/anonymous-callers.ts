import type { FastifyRequest } from 'fastify';
import type { Caller, Via } from '#domain';
import type { Callers } from './callers.js';
import { traceOf } from './trace.js';

/** `LEDGER_AUTH=none`: everybody is anonymous in the tenant `default`, with every role. Loopback only. */
export class AnonymousCallers implements Callers {
  of(request: FastifyRequest, via: Via): Caller {
    return { tenant: 'default', principal: 'anonymous', role: 'operator', via, ...traceOf(request) };
  }
}
