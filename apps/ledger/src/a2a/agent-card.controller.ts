import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cardMaxAgeSeconds, serveCard, type ServedCard } from '#a2a';
import { headerOf } from './call-context.factory.js';
import { LedgerCard } from './ledger-card.js';

/** Weak comparison, as If-None-Match asks for (RFC 9110 §13.1.2). */
const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));

/** The public agent card (specification §8.2); it needs no caller. */
@ApiTags('a2a')
@Controller('.well-known')
export class AgentCardController {
  #served: ServedCard | undefined;

  constructor(@Inject(LedgerCard) private readonly card: LedgerCard) {}

  @Get('agent-card.json')
  @ApiOperation({ summary: 'The agent card' })
  get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { text, etag } = (this.#served ??= serveCard(this.card.current()));
    void reply.header('etag', etag).header('cache-control', `public, max-age=${String(cardMaxAgeSeconds)}`);
    if (matches(headerOf(request, 'if-none-match'), etag)) {
      void reply.code(304).send();
      return;
    }
    void reply.header('content-type', 'application/json; charset=utf-8').send(text);
  }
}
