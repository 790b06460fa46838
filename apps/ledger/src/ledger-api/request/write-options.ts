import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { WriteOptions } from '#application';
import { waitForOf, writeOptionsOf } from './headers.js';

/** `Idempotency-Key` and `If-Match` of the request, checked. */
export const Options = createParamDecorator((_: unknown, context: ExecutionContext): WriteOptions =>
  writeOptionsOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** `Ledger-Wait-For` of the request: the position that the answer must have reached. */
export const WaitFor = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  waitForOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Documents the headers of a write. */
export const Writes = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'The same key again answers as the first time did.',
    }),
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'A revision in quotes: the write is refused at any other.',
    }),
  );
