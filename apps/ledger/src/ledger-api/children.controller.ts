import { Body, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Ledger, WriteOptions } from '#application';
import { invalid, type Caller } from '#domain';
import type { TreeNode, Views } from '#views';
import { AsCaller } from '../auth/caller.guard.js';
import { LEDGER, VIEWS } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { fromView, wrote } from './answers.js';
import { LedgerController } from './controller.js';
import { ChildDto } from './dto/link.dto.js';
import { TreeQuery } from './dto/queries.dto.js';
import { TaskId } from './request/task-id.js';
import { Options, WaitFor, Waits, Writes } from './request/write-options.js';

/** What hangs below a task. */
@LedgerController('tasks/:taskId', 'children')
export class ChildrenController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(VIEWS) private readonly views: Views,
  ) {}

  @Post('children')
  @HttpCode(201)
  @Writes()
  @ApiOperation({ summary: 'Makes an existing task a child of this one' })
  @Answers(201, 'LinkedChild')
  async link(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Body() { peer, taskId: childId, ...terms }: ChildDto,
    @Options() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    if (peer !== undefined) throw invalid('peer', 'children at A2A peers are not served yet; name a taskId');
    if (childId === undefined) throw invalid('taskId', 'is required');
    const written = await this.ledger.commands.adopt(caller, taskId, { taskId: childId, ...terms }, options);
    wrote(reply, written);
    const { parent } = written.task;
    return {
      parentTaskId: taskId,
      taskId: written.task.taskId,
      policy: parent?.policy,
      onEnd: parent?.onEnd,
    };
  }

  @Get('tree')
  @ApiOperation({ summary: 'The tasks below this one' })
  @Waits()
  @Answers(200, 'Tree')
  async tree(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() { depth, limit }: TreeQuery,
    @WaitFor() waitFor: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TreeNode> {
    const options = { depth, limit, ...(waitFor === undefined ? {} : { waitFor }) };
    const answer = await this.views.reader.tree(caller, taskId, options);
    fromView(reply, answer);
    return answer.tree;
  }
}
