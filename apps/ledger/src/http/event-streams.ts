import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { DomainError } from '#domain';
import type { Drain } from './drain.js';
import { EventStream, eventStreamHeaders, type SseFrame } from './event-stream.js';

/** Open streams of one process; each holds a socket and a place in the log. */
export const openStreamsMax = 10_000;

/** Opens the event streams of the ledger API, and counts them. */
export class EventStreams {
  #open = 0;

  constructor(
    private readonly drain: Drain,
    private readonly logger: Logger,
  ) {}

  get open(): number {
    return this.#open;
  }

  /**
   * Takes the reply over. Everything that can be refused must have been refused before: from here on there is no
   * status to say it with, and a failing source ends the stream, which the client resumes by its last id.
   */
  async serve(
    reply: FastifyReply,
    source: (signal: AbortSignal) => AsyncIterable<readonly SseFrame[]>,
  ): Promise<void> {
    if (this.#open >= openStreamsMax) throw new DomainError('unavailable', 'too many streams are open');
    if (reply.request.method === 'HEAD') {
      // Nobody could read it, and nobody would end it.
      await reply.headers(eventStreamHeaders).send();
      return;
    }
    reply.hijack();
    this.#open += 1;
    try {
      const stream = new EventStream(reply.raw, this.drain.signal);
      await stream.serve(source(stream.signal));
    } catch (error) {
      this.logger.error({ err: error, requestId: reply.request.id }, 'an event stream ended early');
    } finally {
      this.#open -= 1;
    }
  }
}
