import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import helmet from 'helmet';
import { idLengthMax, jsonDepthMax } from '#domain';
import { withAnswerSchemas } from '../ledger-api/answer-schemas.js';
import { bodyBytesMax, takesRawBody } from './json-body.js';

/** Only what the pages of /docs need: their own scripts, and the style blocks that they carry inline. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
};

/** Security headers everywhere but on A2A, whose answers no browser shows and whose path should stay short. */
export const registerSecurityHeaders = (app: NestFastifyApplication): void => {
  // TLS ends in front of this service, so whoever ends it decides on Strict-Transport-Security.
  const setHeaders = helmet({ contentSecurityPolicy, strictTransportSecurity: false });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      if (takesRawBody(request.url)) done();
      else setHeaders(request.raw, reply.raw, () => done());
    });
};

/** The OpenAPI document of the controllers: pages under /docs, JSON under /docs/json. */
export const registerDocs = (app: NestFastifyApplication, version: string): void => {
  const config = new DocumentBuilder()
    .setTitle('Task ledger')
    .setDescription(
      'The ledger API: what agents and operators use, beside A2A. Errors are application/problem+json. ' +
        `A body has at most ${String(bodyBytesMax)} bytes and ${String(jsonDepthMax)} levels; an id has 1 to ` +
        `${String(idLengthMax)} characters.`,
    )
    .setVersion(version)
    .build();
  // Built when first asked for: a start should not wait for it.
  const documentOf = (): OpenAPIObject => withAnswerSchemas(SwaggerModule.createDocument(app, config));
  SwaggerModule.setup('docs', app, documentOf, {
    jsonDocumentUrl: 'docs/json',
    yamlDocumentUrl: 'docs/yaml',
    customSiteTitle: 'Task ledger',
  });
};
