import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DomainError } from '#domain';
import type { Metrics } from '../observe/metrics.js';
import { takesRawBody } from './json-body.js';
import { problemType, retryAfterSeconds, toProblem, type Problem } from './problem.js';
import type { SurfaceFaults } from './surface-faults.js';

/** Sends a problem; used where no filter of Nest's is in reach, too. */
export const sendProblem = (reply: FastifyReply, problem: Problem): void => {
  if (problem.status === 503 || problem.status === 429)
    void reply.header('retry-after', String(retryAfterSeconds));
  // By this id the log knows what went wrong.
  if (problem.status >= 500) void reply.header('x-request-id', reply.request.id);
  // Set before the refusal, for an answer that is not given.
  for (const name of ['etag', 'ledger-position', 'ledger-stale']) reply.removeHeader(name);
  void reply.code(problem.status).header('content-type', problemType).send(JSON.stringify(problem));
};

/** Nest wraps what the HTTP layer refused; a surface of its own should not need to know Nest. */
const plainFault = (error: unknown): unknown => {
  if (!(error instanceof HttpException)) return error;
  const { code, detail, status, limit } = toProblem(error);
  if (code === 'payload-too-large') return new DomainError(code, detail, { limit: Number(limit) });
  return Object.assign(new Error(detail), { statusCode: status });
};

/** The last word on every error of HTTP: problem+json, or the answer of the surface that speaks its own. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly metrics: Metrics,
    private readonly a2aFaults: SurfaceFaults | undefined,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // A stream has its own end; there is no status left to say anything with.
    if (reply.sent || reply.raw.headersSent) return;
    if (this.a2aFaults !== undefined && takesRawBody(request.url)) {
      this.a2aFaults(plainFault(error), request, reply);
      return;
    }
    const problem = toProblem(error);
    this.metrics.answeredProblem(problem.code);
    this.#log(error, problem, request);
    sendProblem(reply, problem);
  }

  /** Refusals are the client's business; only what is ours to repair is worth a line at `error`. */
  #log(error: unknown, problem: Problem, request: FastifyRequest): void {
    const details = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      code: problem.code,
    };
    if (problem.status === 500) this.logger.error({ ...details, err: error }, 'a request failed');
    else if (problem.status >= 500) this.logger.warn(details, 'a request could not be served');
    else this.logger.debug(details, 'a request was refused');
  }
}
