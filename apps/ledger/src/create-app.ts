import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, type Parts } from './app.module.js';
import { registerDocs, registerSecurityHeaders } from './http/docs.js';
import { ProblemFilter } from './http/problem.filter.js';
import { EdgeAnswers, openAdapter } from './http/server.js';
import { A2A_FAULTS, type SurfaceFaults } from './http/surface-faults.js';
import { NestLogger } from './observe/logger.js';
import { version } from './version.js';

/** Every surface of this instance's roles on what was opened for it; it answers once the front is opened. */
export const createApp = async (parts: Parts, docs: boolean): Promise<NestFastifyApplication> => {
  const { config, drain, front, logger, runtime } = parts;
  const answers = new EdgeAnswers();
  // Nest's options are a class to the compiler and a literal to everybody else.
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
  const options: NestApplicationOptions = {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  };
  const adapter = openAdapter(drain, front, answers);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(parts), adapter, options);
  if (config.roles.includes('api')) answers.a2aFaults = app.get<SurfaceFaults>(A2A_FAULTS, { strict: false });
  app.useGlobalFilters(new ProblemFilter(logger, runtime.metrics, answers.a2aFaults));
  registerSecurityHeaders(app);
  if (docs && config.roles.includes('api')) registerDocs(app, version);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
};
