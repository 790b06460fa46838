/**
 * The least a Nest + Fastify service can do: parse a JSON body and answer with it. Plain JavaScript, so decorators
 * are applied by hand.
 */
import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class EchoController {
  /** @param {unknown} body */
  echo(body) {
    return body;
  }
}
const echo = Object.getOwnPropertyDescriptor(EchoController.prototype, 'echo') ?? {};
Body()(EchoController.prototype, 'echo', 0);
Post('echo')(EchoController.prototype, 'echo', echo);
HttpCode(200)(EchoController.prototype, 'echo', echo);
Controller()(EchoController);

class EchoModule {}
Module({ controllers: [EchoController] })(EchoModule);

const app = await NestFactory.create(EchoModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(`echo ready port=${String(app.getHttpServer().address().port)}\n`);
