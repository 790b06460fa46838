import { Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFrame, Ledger } from '#application';
import type { Caller } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import type { SseFrame } from '../http/event-stream.js';
import type { EventStreams } from '../http/event-streams.js';
import { LEDGER, STREAMS } from '../tokens.js';
import { AnswersStream } from './answer-schemas.js';
import { LedgerController } from './controller.js';
import { FeedQuery } from './dto/queries.dto.js';
import { LogPositions } from './log-positions.js';
import { lastEventIdOf } from './request/headers.js';
import { Resumes } from './request/write-options.js';

const frameOf = (event: EventFrame): SseFrame => ({ id: event.position, data: event });

async function* framesOf(batches: AsyncIterable<readonly EventFrame[]>): AsyncGenerator<readonly SseFrame[]> {
  for await (const events of batches) yield events.map(frameOf);
}

/** Every event of the caller's scope, in the order of the log. */
@LedgerController('feed', 'feed')
export class FeedController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(STREAMS) private readonly streams: EventStreams,
    @Inject(LogPositions) private readonly positions: LogPositions,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Events as server-sent events; Last-Event-ID, or else from, says where to go on' })
  @Resumes()
  @AnswersStream()
  async follow(
    @AsCaller() caller: Caller,
    @Query() { types, from }: FeedQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const start = await this.#startOf(lastEventIdOf(request), from);
    await this.streams.serve(reply, (signal) =>
      framesOf(
        this.ledger.live.feed(caller, { from: start, signal, ...(types === undefined ? {} : { types }) }),
      ),
    );
  }

  /** Checked while a refusal can still be said: a client that resumes at a made-up place would miss events. */
  async #startOf(lastEventId: string | undefined, from = 'start'): Promise<string> {
    if (lastEventId !== undefined) {
      await this.positions.check(lastEventId, 'last-event-id');
      return lastEventId;
    }
    if (from !== 'start' && from !== 'end') await this.positions.check(from, 'from');
    return from;
  }
}
