import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { DomainError } from '#domain';
import { problemType, retryAfterSeconds, toProblem } from '../http/problem.js';
import type { Starting } from './starting.js';

const send = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void => {
  const more = status === 503 ? { 'retry-after': String(retryAfterSeconds) } : {};
  response.writeHead(status, { 'cache-control': 'no-store', ...more, ...headers }).end(body);
};

const json = { 'content-type': 'application/json; charset=utf-8' };

const pathOf = ({ url = '/' }: IncomingMessage): string => url.replace(/\?.*$/s, '').replace(/\/$/, '');

/** What a service answers that lives and cannot serve yet: probes as always, and to everything else when to come back. */
export const waitingAnswers =
  (starting: Starting, registry: Registry): RequestListener =>
  (request, response) => {
    const path = pathOf(request);
    if (path === '/healthz') {
      send(response, 200, JSON.stringify({ status: 'alive' }), json);
    } else if (path === '/readyz') {
      send(response, 503, JSON.stringify({ status: 'not-ready', reasons: starting.reasons }), json);
    } else if (path === '/metrics') {
      void registry.metrics().then((text) => {
        send(response, 200, text, { 'content-type': registry.contentType });
      });
    } else {
      const problem = toProblem(new DomainError('unavailable', 'the service is starting'));
      send(response, 503, JSON.stringify(problem), { 'content-type': problemType });
    }
  };
