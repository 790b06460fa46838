import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#domain';
import type { Drain } from './drain.js';
import type { Front } from './front.js';
import { bodyBytesMax, registerBodyParser, takesRawBody } from './json-body.js';
import { sendProblem } from './problem.filter.js';
import { toProblem } from './problem.js';
import type { SurfaceFaults } from './surface-faults.js';

/** Characters of one path parameter; an id above 256 is refused with its field's name, not by the router. */
const pathParameterLengthMax = 8_192;

const requestIdForm = /^[\w.:/+=@-]{1,128}$/;

/** The id a proxy gave the request, or one of ours: it stands in the log and in the events that follow. */
const requestIdOf = (request: Pick<IncomingMessage, 'headers'>): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
};

/** Answers outside of Nest: what the router refuses before a route is known, and everything while draining. */
export class EdgeAnswers {
  /** Known once Nest has its modules. */
  a2aFaults: SurfaceFaults | undefined;

  send(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (this.a2aFaults !== undefined && takesRawBody(request.url)) this.a2aFaults(error, request, reply);
    else sendProblem(reply, toProblem(error));
  }
}

/** What watches a service goes on watching it while it stops: `/readyz` says why it is not ready. */
const probes: readonly string[] = ['/healthz', '/readyz', '/metrics'];

const draining = new DomainError('unavailable', 'the service is stopping');

/** On the sockets of `front`, which listens and closes by itself. */
export const openAdapter = (drain: Drain, front: Front, answers: EdgeAnswers): FastifyAdapter => {
  const adapter = new FastifyAdapter({
    bodyLimit: bodyBytesMax,
    serverFactory: front.serverFactory,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: pathParameterLengthMax, ignoreTrailingSlash: true },
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      answers.send(error, request, reply);
    },
  });
  const fastify = adapter.getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!drain.draining || probes.includes(request.url)) {
      done();
      return;
    }
    void reply.header('connection', 'close');
    answers.send(draining, request, reply);
  });
  registerBodyParser(fastify);
  return adapter;
};
