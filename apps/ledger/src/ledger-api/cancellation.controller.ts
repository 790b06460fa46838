import { Body, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Ledger, WriteOptions } from '#application';
import { a2aStateOf, invalid, type Caller } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import { LEDGER } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { wrote } from './answers.js';
import { LedgerController } from './controller.js';
import { CancellationDto, NoteDto } from './dto/task.dto.js';
import { TaskId } from './request/task-id.js';
import { Options, Writes } from './request/write-options.js';

/** Cancelling a task, and what its agent says to it. */
@LedgerController('tasks/:taskId/cancellation', 'cancellations')
export class CancellationController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Post()
  @HttpCode(202)
  @Writes()
  @ApiOperation({ summary: 'Cancels the task' })
  @Answers(202, 'CancellationAccepted')
  async cancel(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() { dryRun, descendantsOnly, ...input }: CancellationDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    if (dryRun === true) throw invalid('dryRun', 'a dry run is not served yet');
    if (descendantsOnly === true)
      throw invalid('descendantsOnly', 'cancelling only what is below is not served yet');
    const written = await this.ledger.commands.cancel(caller, taskId, input, options);
    wrote(reply, written);
    const { state, stoppedBy } = written.task;
    return { cancellationId: written.cancellationId, taskId, state: a2aStateOf(state, stoppedBy) };
  }

  @Post('ack')
  @HttpCode(200)
  @ApiOperation({ summary: 'Not served yet: acknowledges a cancellation, as the agent' })
  async acknowledge(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() _: NoteDto,
  ): Promise<never> {
    await this.ledger.reader.row(caller, taskId);
    throw invalid('ack', 'cancellations are not acknowledged yet');
  }

  @Post('decline')
  @HttpCode(200)
  @ApiOperation({ summary: 'Not served yet: declines a cancellation, as the agent' })
  async decline(@AsCaller() caller: Caller, @TaskId() taskId: string, @Body() _: NoteDto): Promise<never> {
    await this.ledger.reader.row(caller, taskId);
    throw invalid('decline', 'cooperative cancellations are not served yet, so there is none to decline');
  }
}
