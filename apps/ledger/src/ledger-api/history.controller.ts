import { Get, Inject, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import jsonPatch, { type Operation } from 'fast-json-patch';
import type { FastifyReply } from 'fastify';
import { toTaskJson } from '#a2a';
import {
  whyMermaid,
  whyText,
  type LateUpdate,
  type Ledger,
  type TimelineEntry,
  type WhyStep,
} from '#application';
import { exportTask } from '#dialects';
import { DomainError, invalid, type Caller, type JsonObject } from '#domain';
import { AsCaller } from '../auth/caller.guard.js';
import { LEDGER } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { mark, tag } from './answers.js';
import { LedgerController } from './controller.js';
import { DiffQuery, FormatQuery, ReplayQuery, TimelineQuery } from './dto/queries.dto.js';
import { inFormat } from './formats.js';
import { recordOf } from './record.js';
import { TaskId } from './request/task-id.js';

/** What happened to a task, and what it was at any moment. */
@LedgerController('tasks/:taskId', 'history')
export class HistoryController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get('late')
  @ApiOperation({ summary: 'Updates that came after the end and were refused' })
  @Answers(200, 'LateUpdates')
  async late(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly LateUpdate[]> {
    await this.#tag(reply, caller, taskId);
    return this.ledger.reader.late(caller, taskId);
  }

  @Get('timeline')
  @ApiOperation({ summary: 'Messages, artifacts, transitions, links and cancellations in their order' })
  @Answers(200, 'Timeline')
  async timeline(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() { after, afterMessage, limit }: TimelineQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ readonly entries: readonly TimelineEntry[]; readonly next?: number }> {
    if (after !== undefined && afterMessage !== undefined) throw invalid('afterMessage', 'excludes after');
    await this.#tag(reply, caller, taskId);
    return this.ledger.reader.timeline(caller, taskId, {
      limit,
      ...(after === undefined ? {} : { after }),
      ...(afterMessage === undefined ? {} : { afterMessage }),
    });
  }

  @Get('replay')
  @ApiOperation({ summary: 'The task as of a revision or an instant' })
  @Answers(200, 'Replay')
  async replay(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() { revision, at, as }: ReplayQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const view = await this.ledger.reader.replay(caller, taskId, momentOf(revision, at));
    const record = recordOf(view);
    tag(reply, view.task.revision);
    return {
      revision: view.task.revision,
      at: view.at,
      row: record.row,
      task: toTaskJson(view.task, view.document),
      ...(as === undefined ? {} : exportTask(as, record)),
    };
  }

  @Get('diff')
  @ApiOperation({ summary: 'What changed between two revisions of the task, as RFC 6902' })
  @Answers(200, 'Diff')
  async diff(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() { from, to }: DiffQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Operation[]> {
    if (from === undefined) throw invalid('from', 'is required');
    if (to === undefined) throw invalid('to', 'is required');
    const before = await this.#taskAt(caller, taskId, from, 'from');
    const after = await this.#taskAt(caller, taskId, to, 'to');
    tag(reply, to);
    return jsonPatch.compare(before, after);
  }

  @Get('why')
  @ApiOperation({ summary: "The chain from the task's last state to the first request" })
  @Answers(200, 'Causes', { orText: true })
  async why(
    @AsCaller() caller: Caller,
    @TaskId() taskId: string,
    @Query() { format }: FormatQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly WhyStep[] | string> {
    await this.#tag(reply, caller, taskId);
    const steps = await this.ledger.reader.why(caller, taskId);
    return inFormat(reply, format, steps, { text: whyText, mermaid: whyMermaid });
  }

  /** The revision is asked for first: an answer may know more than its tag says, never less. */
  async #tag(reply: FastifyReply, caller: Caller, taskId: string): Promise<void> {
    const { task, stale } = await this.ledger.reader.read(caller, taskId, { messages: 0 });
    tag(reply, task.revision);
    mark(reply, stale);
  }

  async #taskAt(caller: Caller, taskId: string, revision: number, field: string): Promise<JsonObject> {
    try {
      const { task, document } = await this.ledger.reader.replay(caller, taskId, { revision });
      return toTaskJson(task, document);
    } catch (error) {
      // The reader knows one revision; the client sent two.
      const beyond = error instanceof DomainError && error.detail.field === 'revision';
      throw beyond ? invalid(field, 'the task has no such revision') : error;
    }
  }
}

const momentOf = (revision?: number, at?: string): { revision: number } | { at: string } | undefined => {
  if (revision !== undefined && at !== undefined) throw invalid('at', 'excludes revision');
  if (revision !== undefined) return { revision };
  return at === undefined ? undefined : { at };
};
