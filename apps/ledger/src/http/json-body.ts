import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, invalid, jsonDepthMax, wellFormed } from '#domain';

/** Most bytes of a request body, on every surface: 4 MiB. More is 413. */
export const bodyBytesMax = 4 * 1_024 * 1_024;

interface Fault {
  /** Ready to be joined: `.name` or `[index]`. */
  readonly path: string;
  readonly reason: string;
}

const fault = (reason: string): Fault => ({ path: '', reason });

/** A key as an answer may show it: what made it unfit to be stored also makes it unfit to be repeated. */
const shown = (key: string): string => key.slice(0, 100).replace(/[\0\p{Cs}]/gu, '\ufffd');

const below = (parent: object, key: string, found: Fault): Fault => ({
  path: `${Array.isArray(parent) ? `[${key}]` : `.${shown(key)}`}${found.path}`,
  reason: found.reason,
});

const textFault = (text: string): Fault | undefined =>
  wellFormed(text) ? undefined : fault('must not contain NUL or half of a surrogate pair');

const keyFault = (key: string, escapes: boolean): Fault | undefined => {
  if (key === '__proto__') return fault('is a name that is not allowed');
  return escapes ? textFault(key) : undefined;
};

/**
 * Finds what may not be stored: keys that poison maps (C45), text that no store keeps byte for byte (C13), numbers
 * that JSON cannot write again. Only an escape can bring such text, so texts are looked at only where `escapes`.
 */
const faultOf = (value: unknown, escapes: boolean, depth: number): Fault | undefined => {
  if (typeof value === 'string') return escapes ? textFault(value) : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : fault('is a number out of range');
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > jsonDepthMax) return fault(`is nested deeper than ${String(jsonDepthMax)} levels`);
  for (const key of Object.keys(value)) {
    const found =
      keyFault(key, escapes) ?? faultOf((value as Record<string, unknown>)[key], escapes, depth + 1);
    if (found !== undefined) return below(value, key, found);
  }
  return undefined;
};

/**
 * JSON text as a value that is safe to keep and to give back as it came.
 * @throws DomainError `invalid-request`; `field` is the path of what is wrong, or `body`
 */
export const parseJson = (text: string): unknown => {
  const value = parse(text);
  const found = faultOf(value, text.includes('\\u'), 1);
  if (found !== undefined) throw invalid(found.path.replace(/^\./, '').slice(0, 400) || 'body', found.reason);
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
