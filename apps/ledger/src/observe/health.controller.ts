import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EventStore } from '#event-store';
import type { Views } from '#views';
import type { Drain } from '../http/drain.js';
import { retryAfterSeconds } from '../http/problem.js';
import { DRAIN, STORE, VIEWS } from '../tokens.js';

export interface Readiness {
  readonly status: 'ready' | 'not-ready';
  /** Why not. */
  readonly reasons: readonly string[];
}

/** Whether the process lives, and whether it should be sent requests. */
@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(VIEWS) private readonly views: Views,
    @Inject(DRAIN) private readonly drain: Drain,
  ) {}

  @Get('healthz')
  @ApiOperation({ summary: 'The process is alive' })
  alive(): { status: 'alive' } {
    return { status: 'alive' };
  }

  @Get('readyz')
  @ApiOperation({
    summary: 'The store takes appends and the views have caught up; else 503 with the reasons',
  })
  ready(@Res({ passthrough: true }) reply: FastifyReply): Readiness {
    const reasons = this.#reasons();
    if (reasons.length === 0) return { status: 'ready', reasons };
    void reply.code(503).header('retry-after', String(retryAfterSeconds));
    return { status: 'not-ready', reasons };
  }

  #reasons(): string[] {
    const store = this.store.health();
    return [
      ...(this.drain.draining ? ['the service is stopping'] : []),
      ...(store.writable ? [] : [`the event store takes no appends: ${store.reason}`]),
      ...(this.views.ready ? [] : ['the views have not caught up with the log']),
    ];
  }
}
