import { HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { errorAnswer, errorBody, retryAfterSeconds, type JsonRpcError } from '#a2a';
import { DomainError } from '#domain';
import { bodyBytesMax } from '../http/json-body.js';
import type { SurfaceFaults } from '../http/surface-faults.js';

const invalidRequestCode = -32_600;

const answer = (reply: FastifyReply, status: number, error: JsonRpcError): void => {
  // The body was not read, or nobody can say which request it was: the id is null.
  void reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(null, error)));
};

const propertyOf = (error: unknown, name: 'code' | 'statusCode'): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** HTTP status that Nest or Fastify gave to an error of theirs. */
const statusOf = (error: unknown): number => {
  if (error instanceof HttpException) return error.getStatus();
  const status = propertyOf(error, 'statusCode');
  return typeof status === 'number' ? status : 500;
};

const tooLarge = (): DomainError =>
  new DomainError('payload-too-large', `body: is larger than ${String(bodyBytesMax)} bytes`, {
    field: 'body',
    limit: bodyBytesMax,
  });

const statusOfDomainError = (error: DomainError): number => {
  if (error.code === 'payload-too-large') return 413;
  return error.code === 'unavailable' ? 503 : 400;
};

/** What goes wrong under `/a2a` outside the handlers, in JSON-RPC's words. */
export const a2aFaults: SurfaceFaults = (error, _request, reply) => {
  const known = propertyOf(error, 'code') === 'FST_ERR_CTP_BODY_TOO_LARGE' ? tooLarge() : error;
  if (known instanceof DomainError) {
    const { status, error: body } = errorAnswer(known, 'get');
    if (known.code === 'unavailable') void reply.header('retry-after', String(retryAfterSeconds));
    answer(reply, status === 200 ? statusOfDomainError(known) : status, body);
    return;
  }
  const status = statusOf(known);
  if (status >= 400 && status < 500) {
    answer(reply, status, { code: invalidRequestCode, message: 'This is no request that is served here.' });
    return;
  }
  answer(reply, 500, errorAnswer(known, 'get').error);
};
