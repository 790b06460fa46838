import type { FastifyReply, FastifyRequest } from 'fastify';
import { LedgerCallContext, extensionUri } from '#a2a';
import type { Via } from '#domain';
import type { Callers } from '../auth/callers.js';
import type { Drain } from '../http/drain.js';
import { filledHeader, idempotencyKeyOf } from '../http/headers.js';
import { callSignal } from '../http/call-signal.js';

/** One value of a header; of a repeated one, the first. An empty one counts as absent. */
export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const given = request.headers[name];
  const value = Array.isArray(given) ? given[0] : given;
  return value === '' ? undefined : value;
};

/** Extensions of one request that are looked at. */
const extensionsMax = 32;

const extensionsOf = (request: FastifyRequest): string[] | undefined =>
  headerOf(request, 'a2a-extensions')
    ?.split(',', extensionsMax)
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '');

/** Makes the context of a call. @throws DomainError when the caller is not known, or a header is not what it must be */
export class CallContexts {
  constructor(
    private readonly callers: Callers,
    private readonly drain: Drain,
  ) {}

  of(request: FastifyRequest, reply: FastifyReply, via: Via, version: string): LedgerCallContext {
    const extensions = extensionsOf(request);
    const context = new LedgerCallContext({
      caller: this.callers.of(request, via),
      signal: callSignal(reply.raw, this.drain.signal),
      idempotencyKey: idempotencyKeyOf(request),
      lastEventId: filledHeader(request, 'last-event-id'),
      waitFor: filledHeader(request, 'ledger-wait-for'),
      extensions,
      version,
    });
    if (extensions?.includes(extensionUri) === true) context.addActivatedExtension(extensionUri);
    return context;
  }
}

/** Headers of an answer: what was activated, where the ledger stood, whether it may be older than the log. */
export const answerHeaders = (context: LedgerCallContext): Record<string, string> => ({
  ...(context.activatedExtensions === undefined
    ? {}
    : { 'A2A-Extensions': context.activatedExtensions.join(', ') }),
  ...(context.position === undefined ? {} : { 'Ledger-Position': context.position }),
  ...(context.stale ? { 'Ledger-Stale': 'true' } : {}),
});
