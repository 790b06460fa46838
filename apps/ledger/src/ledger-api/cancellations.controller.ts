import { Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Certificate, Ledger } from '#application';
import { invalid, type Caller } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import type { LedgerConfig } from '../config/config.js';
import type { Drain } from '../http/drain.js';
import { CONFIG, DRAIN, LEDGER } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { LedgerController } from './controller.js';
import { CancellationQuery } from './dto/queries.dto.js';
import { CancellationId } from './request/task-id.js';
import { waitUntil } from './wait-until.js';

/** How often a waiting request looks at the certificate again. */
const lookAgainMs = 250;

/** What cancellations have come to. */
@LedgerController('cancellations', 'cancellations')
export class CancellationsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(CONFIG) private readonly config: LedgerConfig,
    @Inject(DRAIN) private readonly drain: Drain,
  ) {}

  @Get(':cancellationId')
  @ApiOperation({ summary: 'The certificate, at once or when it is settled or confirmed' })
  @Answers(200, 'Certificate')
  async read(
    @AsCaller() caller: Caller,
    @CancellationId() cancellationId: string,
    @Query() query: CancellationQuery,
    @Req() request: FastifyRequest,
  ): Promise<Certificate> {
    const look = (): Promise<Certificate> => this.ledger.cancellations.get(caller, cancellationId);
    const { blockingTimeoutMs } = this.config;
    const certificate = await waitUntil(look, (found) => isReached(found, query.wait), {
      timeoutMs: Math.min(query.timeoutMs ?? blockingTimeoutMs, blockingTimeoutMs),
      everyMs: lookAgainMs,
      isOver: () => this.drain.draining || request.raw.destroyed,
    });
    return nodesAfter(certificate, query.nodesAfter);
  }
}

const isReached = ({ status }: Certificate, wait: CancellationQuery['wait']): boolean => {
  if (wait === undefined || status === 'confirmed') return true;
  return wait === 'settled' && status === 'settled';
};

/** Goes on after a node that an answer has shown; counts stay those of the whole. */
const nodesAfter = (certificate: Certificate, taskId: string | undefined): Certificate => {
  if (taskId === undefined) return certificate;
  const index = certificate.nodes.findIndex((node) => node.taskId === taskId);
  if (index < 0) throw invalid('nodesAfter', 'is no node of this cancellation');
  return { ...certificate, nodes: certificate.nodes.slice(index + 1) };
};
