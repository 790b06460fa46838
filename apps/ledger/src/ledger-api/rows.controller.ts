import { Get, Inject, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#domain';
import type { ListedRow, Views } from '#views';
import { AsCaller } from '../auth/caller.guard.js';
import { VIEWS } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { fromView } from './answers.js';
import { LedgerController } from './controller.js';
import { RowsQuery } from './dto/queries.dto.js';
import { WaitFor, Waits } from './request/write-options.js';
import { filterOf } from './rows-filter.js';

export interface RowsAnswer {
  readonly rows: readonly ListedRow[];
  readonly nextPageToken: string;
  readonly totalSize: number;
  readonly position: string;
}

/** The ledger's rows, in pages as of one position. */
@LedgerController('rows', 'rows')
export class RowsController {
  constructor(@Inject(VIEWS) private readonly views: Views) {}

  @Get()
  @ApiOperation({
    summary: 'Rows, newest status first; every page and total is as of the position of the first',
  })
  @Waits()
  @Answers(200, 'RowsPage')
  async list(
    @AsCaller() caller: Caller,
    @Query() query: RowsQuery,
    @WaitFor() waitFor: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RowsAnswer> {
    const page = await this.views.reader.listRows(caller, {
      filter: filterOf(query),
      pageSize: query.pageSize,
      ...(query.pageToken === undefined ? {} : { pageToken: query.pageToken }),
      ...(waitFor === undefined ? {} : { waitFor }),
    });
    fromView(reply, page);
    const { items, nextPageToken, totalSize, position } = page;
    return { rows: items, nextPageToken, totalSize, position };
  }
}
