import { Body, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type {
  CancelInput,
  CancellationPlan,
  Ledger,
  TaskCancellation,
  WriteOptions,
  WrittenCancellation,
} from '#application';
import { a2aStateOf, invalid, type Caller } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import { LEDGER } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { mark, tag, wrote } from './answers.js';
import type { CancellationAccepted, CancellationNamed } from './cancellation-schemas.js';
import { LedgerController } from './controller.js';
import { PlanQuery } from './dto/queries.dto.js';
import { CancellationDto, NoteDto } from './dto/task.dto.js';
import { TaskId } from './request/task-id.js';
import { Options, Writes } from './request/write-options.js';

/** Cancelling a task, what its agent says to it, and the cancellations that have come to the task. */
@LedgerController('tasks/:taskId', 'cancellations')
export class CancellationController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Post('cancellation')
  @HttpCode(202)
  @Writes()
  @ApiOperation({
    summary:
      'Cancels the task and what hangs below it; a dry run tells what would become of each and writes nothing',
  })
  @ApiBody({ type: CancellationDto, required: false })
  @Answers(202, 'CancellationAccepted')
  @Answers(200, 'CancellationPlan')
  async cancel(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() { dryRun, ...input }: CancellationDto,
    @Query() query: PlanQuery,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancellationAccepted | CancellationPlan> {
    if (dryRun === true) {
      void reply.code(200);
      return this.#plan(caller, taskId, input, query, options);
    }
    if (query.nodesAfter !== undefined) throw invalid('nodesAfter', 'goes on with a dry run only');
    const written = await this.ledger.commands.cancel(caller, taskId, input, options);
    wrote(reply, written);
    const { state, stoppedBy } = written.task;
    return { cancellationId: written.cancellationId, taskId, state: a2aStateOf(state, stoppedBy) };
  }

  @Post('cancellation/ack')
  @HttpCode(200)
  @Writes()
  @ApiOperation({
    summary: 'Acknowledges the cancellation that ended the task or is open on it, as the agent',
  })
  @ApiBody({ type: NoteDto, required: false })
  @Answers(200, 'CancellationNamed')
  async acknowledge(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() note: NoteDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancellationNamed> {
    return named(reply, await this.ledger.commands.acknowledge(caller, taskId, note, options));
  }

  @Post('cancellation/decline')
  @HttpCode(200)
  @Writes()
  @ApiOperation({ summary: 'Declines the cancellation that is open on the task, as the agent' })
  @ApiBody({ type: NoteDto, required: false })
  @Answers(200, 'CancellationNamed')
  async decline(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() note: NoteDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancellationNamed> {
    return named(reply, await this.ledger.commands.decline(caller, taskId, note, options));
  }

  @Get('cancellations')
  @ApiOperation({ summary: 'The cancellations that have come to the task, each with the path it came by' })
  @Answers(200, 'TaskCancellations')
  async ofTask(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly TaskCancellation[]> {
    // Asked for first: an answer may know more than its tag says, never less.
    const { task, stale } = await this.ledger.reader.read(caller, taskId, { messages: 0 });
    const cancellations = await this.ledger.cancellations.ofTask(caller, taskId);
    tag(reply, task.revision);
    mark(reply, stale);
    return cancellations;
  }

  #plan(
    caller: Caller,
    taskId: string,
    input: CancelInput,
    { nodesAfter }: PlanQuery,
    { ifMatch }: WriteOptions,
  ): Promise<CancellationPlan> {
    return this.ledger.commands.planCancellation(caller, taskId, input, {
      ...(nodesAfter !== undefined && { nodesAfter }),
      ...(ifMatch !== undefined && { ifMatch }),
    });
  }
}

const named = (reply: FastifyReply, written: WrittenCancellation): CancellationNamed => {
  wrote(reply, written);
  return { cancellationId: written.cancellationId };
};
