import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Consumer, Standing } from '#application';
import { retryAfterSeconds } from '../http/problem.js';
import { READINESS } from '../tokens.js';
import type { Readiness } from './readiness.js';

interface ReadinessAnswer {
  readonly status: 'ready' | 'not-ready';
  /** Why not. */
  readonly reasons: readonly string[];
  /** What goes on by itself: led by this instance, or by another one while this one stands by. */
  readonly consumers: Readonly<Partial<Record<Consumer, Standing>>>;
}

/** Whether the process lives, and whether it should be sent requests. */
@ApiTags('health')
@Controller()
export class HealthController {
  constructor(@Inject(READINESS) private readonly readiness: Readiness) {}

  @Get('healthz')
  @ApiOperation({ summary: 'The process is alive' })
  alive(): { status: 'alive' } {
    return { status: 'alive' };
  }

  @Get('readyz')
  @ApiOperation({
    summary: 'The store takes appends and the views have caught up; else 503 with the reasons',
  })
  ready(@Res({ passthrough: true }) reply: FastifyReply): ReadinessAnswer {
    const { reasons, consumers } = this.readiness;
    if (reasons.length === 0) return { status: 'ready', reasons, consumers };
    void reply.code(503).header('retry-after', String(retryAfterSeconds));
    return { status: 'not-ready', reasons, consumers };
  }
}
