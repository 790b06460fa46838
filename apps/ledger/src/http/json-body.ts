import type { FastifyInstance, FastifyRequest } from 'fastify';
import { assertStorable } from '#a2a';
import { DomainError, invalid } from '#domain';

/** Most bytes of a request body, on every surface: 4 MiB. More is 413. */
export const bodyBytesMax = 4 * 1_024 * 1_024;

/**
 * JSON text as a value that is safe to keep and to give back as it came.
 * @throws DomainError `invalid-request`; `field` is the path of what is wrong, or `body`
 */
export const parseJson = (text: string): unknown => {
  const value = parse(text);
  assertStorable(text, value, 'body');
  return value;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('body', 'is not JSON');
  }
};

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** An empty JSON text is no body at all: a client that always names the type may have nothing to say. */
const readBody = (request: FastifyRequest, text: string): unknown => {
  if (text === '') return undefined;
  if (!jsonType.test(request.headers['content-type'] ?? '')) {
    throw invalid('content-type', 'must be application/json');
  }
  return parseJson(text);
};

/** Paths of surfaces that read their bodies themselves: A2A answers a broken body in its own words. */
export const takesRawBody = (url: string): boolean => url.startsWith('/a2a');

/** One parser for every content type: raw text for A2A, JSON for everything else. */
export const registerBodyParser = (fastify: FastifyInstance): void => {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'string', bodyLimit: bodyBytesMax }, (request, body, done) => {
    const text = body.toString();
    if (takesRawBody(request.url)) {
      done(null, text);
      return;
    }
    try {
      done(null, readBody(request, text));
    } catch (error) {
      done(error instanceof DomainError ? error : new Error('body parser', { cause: error }));
    }
  });
};
