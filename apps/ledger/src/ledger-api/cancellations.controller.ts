import { Get, Inject, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { certificateMermaid, certificateText, type Certificate, type Ledger } from '#application';
import type { Caller } from '#domain';
import type { CancellationFilter, Views } from '#views';
import { AsCaller } from '../auth/caller.guard.js';
import type { LedgerConfig } from '../config/config.js';
import { callSignal } from '../http/call-signal.js';
import type { Drain } from '../http/drain.js';
import { CONFIG, DRAIN, LEDGER, VIEWS } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { fromView } from './answers.js';
import type { CancellationsAnswer } from './cancellation-schemas.js';
import { LedgerController } from './controller.js';
import { CancellationQuery, CancellationsQuery } from './dto/queries.dto.js';
import { inFormat } from './formats.js';
import { defined } from './rows-filter.js';
import { CancellationId } from './request/task-id.js';
import { WaitFor, Waits } from './request/write-options.js';

/** What cancellations have come to. */
@LedgerController('cancellations', 'cancellations')
export class CancellationsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(VIEWS) private readonly views: Views,
    @Inject(CONFIG) private readonly config: LedgerConfig,
    @Inject(DRAIN) private readonly drain: Drain,
  ) {}

  @Get()
  @ApiOperation({
    summary:
      'Cancellations, the newest first; every page has those that the first one knew of, as they are now',
  })
  @Waits()
  @Answers(200, 'CancellationsPage')
  async list(
    @AsCaller() caller: Caller,
    @Query() { pageSize, pageToken, requestedBy, status, since, rootTaskId }: CancellationsQuery,
    @WaitFor() waitFor: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancellationsAnswer> {
    const page = await this.views.reader.listCancellations(caller, {
      filter: defined<CancellationFilter>({ requestedBy, status, since, rootTaskId }),
      pageSize,
      ...(pageToken === undefined ? {} : { pageToken }),
      ...(waitFor === undefined ? {} : { waitFor }),
    });
    fromView(reply, page);
    const { items, nextPageToken, position } = page;
    return { cancellations: items, nextPageToken, position };
  }

  @Get(':cancellationId')
  @ApiOperation({
    summary: 'The certificate: at once, or when it is settled or confirmed; as it is when the time is over',
  })
  @Answers(200, 'Certificate', { orText: true })
  async read(
    @AsCaller() caller: Caller,
    @CancellationId() cancellationId: string,
    @Query() query: CancellationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Certificate | string> {
    const { nodesAfter, format } = query;
    await this.#wait(caller, cancellationId, query, reply);
    const page = nodesAfter === undefined ? {} : { nodesAfter };
    const certificate = await this.ledger.cancellations.get(caller, cancellationId, page);
    return inFormat(reply, format, certificate, { text: certificateText, mermaid: certificateMermaid });
  }

  /** Ends with the time, with the client, and when the service drains. */
  async #wait(
    caller: Caller,
    cancellationId: string,
    { wait, timeoutMs }: CancellationQuery,
    reply: FastifyReply,
  ): Promise<void> {
    if (wait === undefined) return;
    const { blockingTimeoutMs } = this.config;
    await this.ledger.cancellations.wait(caller, cancellationId, wait, {
      timeoutMs: Math.min(timeoutMs ?? blockingTimeoutMs, blockingTimeoutMs),
      signal: callSignal(reply.raw, this.drain.signal)(),
    });
  }
}
