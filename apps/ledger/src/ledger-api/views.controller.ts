import { Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { invalid } from '#domain';
import type { SetAsideEvent, ViewMismatch, Views, ViewStatus } from '#views';
import { OperatorsOnly } from '../auth/caller.guard.js';
import { VIEWS } from '../tokens.js';
import { Answers } from './answer-schemas.js';
import { LedgerController } from './controller.js';

/** The views themselves, for operators. */
@OperatorsOnly()
@LedgerController('views', 'views')
export class ViewsController {
  constructor(@Inject(VIEWS) private readonly views: Views) {}

  @Get()
  @ApiOperation({ summary: 'Where each view stands, and the events it could not read' })
  @Answers(200, 'Views')
  async list(): Promise<{ views: readonly ViewStatus[]; setAside: readonly SetAsideEvent[] }> {
    const [views, setAside] = await Promise.all([this.views.reader.status(), this.views.reader.setAside()]);
    return { views, setAside };
  }

  @Post(':name/rebuild')
  @HttpCode(200)
  @ApiOperation({ summary: 'Begins a rebuild beside the live view' })
  @Answers(200, 'View')
  async rebuild(@Param('name') name: string): Promise<ViewStatus> {
    await this.#assertKnown(name);
    return this.views.reader.rebuild(name);
  }

  @Get(':name/verify')
  @ApiOperation({ summary: 'Folds every stream again and compares' })
  @Answers(200, 'Verification')
  async verify(
    @Param('name') name: string,
  ): Promise<{ readonly checked: number; readonly mismatches: readonly ViewMismatch[] }> {
    await this.#assertKnown(name);
    return this.views.reader.verify(name);
  }

  async #assertKnown(name: string): Promise<void> {
    const names = (await this.views.reader.status()).map((view) => view.name);
    if (!names.includes(name)) throw invalid('name', `must be one of ${names.join(', ')}`);
  }
}
