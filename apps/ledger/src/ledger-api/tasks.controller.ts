import { Body, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Ledger, WriteOptions, Written } from '#application';
import { exportTask, type DialectName, type Exported } from '#dialects';
import { invalid, type Caller, type LedgerRow } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import { LEDGER } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { mark, tag, wrote } from './answers.js';
import { LedgerController } from './controller.js';
import { DialectQuery } from './dto/queries.dto.js';
import { ArtifactUpdateDto, CreateTaskDto, MessageUpdateDto, TransitionDto } from './dto/task.dto.js';
import { recordOf } from './record.js';
import { TaskId } from './request/task-id.js';
import { Creates, Options, Writes } from './request/write-options.js';

/** Tasks: created, read, and moved on by agents. */
@LedgerController('tasks', 'tasks')
export class TasksController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Post()
  @Creates()
  @ApiOperation({ summary: 'Creates a task' })
  @Answers(201, 'Row')
  async create(
    @AsCaller() caller: Caller,
    @Body() body: CreateTaskDto,
    @Options() { idempotencyKey, ifMatch }: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerRow> {
    if (ifMatch !== undefined) throw invalid('if-match', 'has no meaning for a task that is not there yet');
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    return this.#row(reply, await this.ledger.commands.create(caller, body, options));
  }

  @Get(':taskId')
  @ApiOperation({ summary: "The task's row, or the task in another dialect" })
  @Answers(200, 'RowOrDialect')
  async read(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() { as }: DialectQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerRow | Exported> {
    if (as !== undefined) return this.#exported(reply, caller, taskId, as);
    const { row, stale } = await this.ledger.reader.row(caller, taskId);
    tag(reply, row.revision);
    mark(reply, stale);
    return row;
  }

  @Post(':taskId/transitions')
  @HttpCode(200)
  @Writes()
  @ApiOperation({ summary: 'Changes the state, as an agent' })
  @Answers(200, 'Row')
  async transition(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() body: TransitionDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerRow> {
    return this.#row(reply, await this.ledger.commands.transition(caller, taskId, body, options));
  }

  @Post(':taskId/artifacts')
  @HttpCode(200)
  @Writes()
  @ApiOperation({ summary: 'Records an artifact, or a chunk of one' })
  @Answers(200, 'Row')
  async recordArtifact(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() body: ArtifactUpdateDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerRow> {
    return this.#row(reply, await this.ledger.commands.recordArtifact(caller, taskId, body, options));
  }

  @Post(':taskId/messages')
  @HttpCode(200)
  @Writes()
  @ApiOperation({ summary: 'Records a message of either role' })
  @Answers(200, 'Row')
  async recordMessage(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() body: MessageUpdateDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerRow> {
    return this.#row(reply, await this.ledger.commands.recordMessage(caller, taskId, body, options));
  }

  async #row(reply: FastifyReply, written: Written): Promise<LedgerRow> {
    wrote(reply, written);
    return this.ledger.reader.rowOf(written);
  }

  async #exported(reply: FastifyReply, caller: Caller, taskId: string, as: DialectName): Promise<Exported> {
    const view = await this.ledger.reader.read(caller, taskId);
    tag(reply, view.task.revision);
    mark(reply, view.stale);
    return exportTask(as, recordOf(view));
  }
}
