import { Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '#application';
import { invalid, type Caller, type Task } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import type { EventStreams } from '../http/event-streams.js';
import { LEDGER, STREAMS } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { mark, pageEvent, tag } from './answers.js';
import { LedgerController } from './controller.js';
import { EventsQuery } from './dto/queries.dto.js';
import { lastEventIdOf, wantsEventStream } from './request/headers.js';
import { TaskId } from './request/task-id.js';
import { Resumes } from './request/write-options.js';
import { followTask } from './task-events.js';

/** A task's own stream, in pages or followed live. */
@LedgerController('tasks/:taskId/events', 'history')
export class EventsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(STREAMS) private readonly streams: EventStreams,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Stored events in pages; with Accept: text/event-stream they are followed live' })
  @Resumes()
  @Answers(200, 'EventPage', { orStream: true })
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
    const { task } = await this.ledger.reader.read(caller, taskId, { messages: 0 });
    const first = revisionAfter(task, lastEventIdOf(request)) ?? from ?? 0;
    await this.streams.serve(reply, (signal) => followTask(this.ledger, caller, taskId, first, signal));
  }
}

/** The revision after `<taskId>.<revision>`; an id that the task's events do not have counts as none (C17). */
export const revisionAfter = (
  task: Pick<Task, 'taskId' | 'revision'>,
  lastEventId: string | undefined,
): number | undefined => {
  const prefix = `${task.taskId}.`;
  if (lastEventId?.startsWith(prefix) !== true) return undefined;
  const text = lastEventId.slice(prefix.length);
  const revision = /^\d{1,15}$/.test(text) ? Number(text) : Infinity;
  return revision <= task.revision ? revision + 1 : undefined;
};
