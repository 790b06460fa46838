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

const header = (name: string, description: string): MethodDecorator & ClassDecorator =>
  ApiHeader({ name, required: false, description });

const keyed = header('Idempotency-Key', 'The same key again answers as the first time did.');

/** Documents the headers of a write that makes a task. */
export const Creates = (): MethodDecorator & ClassDecorator => applyDecorators(keyed);

/** Documents the headers of a write to a task. */
export const Writes = (): MethodDecorator & ClassDecorator =>
  applyDecorators(keyed, header('If-Match', 'A revision in quotes: the write is refused at any other.'));

/** Documents the header of an answer from a view. */
export const Waits = (): MethodDecorator & ClassDecorator =>
  header('Ledger-Wait-For', 'A position: the answer waits, for a while, until it has been read.');

/** Documents the header of a stream. */
export const Resumes = (): MethodDecorator & ClassDecorator =>
  header('Last-Event-ID', 'The id of the last event that was received: the stream goes on after it.');
