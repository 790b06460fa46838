import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JsonRpcDoor, type StreamFrame } from '#a2a';
import type { SseFrame } from '../http/event-stream.js';
import { EventStreams } from '../http/event-streams.js';
import { STREAMS } from '../tokens.js';
import { answerHeaders, CallContexts, headerOf } from './call-context.factory.js';

const versionInQuery = (request: FastifyRequest): string | undefined => {
  const value = (request.query as Readonly<Record<string, unknown>>)['A2A-Version'];
  return typeof value === 'string' ? value : undefined;
};

/** One frame at a time: the next event is asked for when the client has taken the last. */
async function* sseFrames(frames: AsyncIterable<StreamFrame>): AsyncGenerator<readonly SseFrame[]> {
  for await (const { id, body } of frames) yield [{ id, data: body }];
}

/** A2A 1.0 over JSON-RPC (specification §9). The adapter ignores a trailing slash. */
@ApiTags('a2a')
@Controller('a2a')
export class JsonRpcController {
  constructor(
    @Inject(JsonRpcDoor) private readonly door: JsonRpcDoor,
    @Inject(CallContexts) private readonly contexts: CallContexts,
    @Inject(STREAMS) private readonly streams: EventStreams,
  ) {}

  @Post('jsonrpc')
  @HttpCode(200)
  @ApiOperation({ summary: 'A2A 1.0 over JSON-RPC 2.0' })
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await this.door.answer({
      text: typeof request.body === 'string' ? request.body : '',
      versionHeader: headerOf(request, 'a2a-version'),
      versionQuery: versionInQuery(request),
      context: (version) => this.contexts.of(request, reply, 'a2a-jsonrpc', version),
    });
    const headers = answer.context === undefined ? {} : answerHeaders(answer.context);
    if (answer.kind === 'stream') {
      await this.stream(reply, answer.frames, headers);
      return;
    }
    void reply
      .code(answer.status)
      .headers(headers)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(answer.body));
  }

  private async stream(
    reply: FastifyReply,
    frames: AsyncGenerator<StreamFrame, void, undefined>,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value);
    try {
      await this.streams.serve(reply, () => sseFrames(frames));
    } finally {
      await frames.return(); // Also where it was never begun: too many streams are open.
    }
  }
}
