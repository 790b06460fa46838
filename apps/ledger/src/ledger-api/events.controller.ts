import { Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '#application';
import { invalid, type Caller } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import type { EventStreams } from '../http/event-streams.js';
import { LEDGER, STREAMS } from '../tokens.js';
import { mark, pageEvent, tag } from './answers.js';
import { LedgerController } from './controller.js';
import { EventsQuery } from './dto/queries.dto.js';
import { lastEventIdOf, wantsEventStream } from './request/headers.js';
import { TaskId } from './request/task-id.js';
import { followTask } from './task-events.js';

/** A task's own stream, in pages or followed live. */
@LedgerController('tasks/:taskId/events', 'history')
export class EventsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(STREAMS) private readonly streams: EventStreams,
  ) {}

  @Get()
  @ApiProduces('application/json', 'text/event-stream')
  @ApiOperation({ summary: 'Stored events in pages; with Accept: text/event-stream they are followed live' })
  async read(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() query: EventsQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (wantsEventStream(request)) await this.#follow(caller, taskId, query, request, reply);
    else await reply.send(await this.#page(caller, taskId, query, reply));
  }

  async #page(caller: Caller, taskId: string, query: EventsQuery, reply: FastifyReply): Promise<object> {
    const { limit, direction, from } = query;
    const { task, stale } = await this.ledger.reader.read(caller, taskId, { messages: 0 });
    const page = { limit, direction, ...(from === undefined ? {} : { from }) };
    const { events, next } = await this.ledger.reader.events(caller, taskId, page);
    tag(reply, task.revision);
    mark(reply, stale);
    return { events: events.map(pageEvent), ...(next === undefined ? {} : { next }) };
  }

  async #follow(
    caller: Caller,
    taskId: string,
    { from, direction }: EventsQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (direction === 'backwards') throw invalid('direction', 'must be forwards in a stream');
    // Asked before the stream begins, while a refusal can still be said.
    await this.ledger.reader.read(caller, taskId, { messages: 0 });
    const first = revisionAfter(taskId, lastEventIdOf(request)) ?? from ?? 0;
    await this.streams.serve(reply, (signal) => followTask(this.ledger, caller, taskId, first, signal));
  }
}

/** The revision after `<taskId>.<revision>`; an id of another task, or of no form we gave out, counts as none. */
export const revisionAfter = (taskId: string, lastEventId: string | undefined): number | undefined => {
  const prefix = `${taskId}.`;
  if (lastEventId?.startsWith(prefix) !== true) return undefined;
  const revision = lastEventId.slice(prefix.length);
  return /^\d{1,15}$/.test(revision) ? Number(revision) + 1 : undefined;
};
