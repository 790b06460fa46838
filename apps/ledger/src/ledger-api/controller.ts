import { applyDecorators, Controller, UseGuards, UsePipes } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { CallerGuard } from '../auth/caller.guard.js';
import { AnswersProblems } from './answer-schemas.js';
import { BodyPipe } from './request/body.pipe.js';
import { QueryPipe } from './request/query.pipe.js';

/** Where the ledger API is served. */
export const apiPath = 'ledger/v1';

/**
 * A controller of the ledger API: its caller is found first, its bodies and queries are checked by their classes.
 * Bound here and not to the application, because A2A pays for none of it.
 */
export const LedgerController = (path: string, noun: string): ClassDecorator =>
  applyDecorators(
    Controller(path === '' ? apiPath : `${apiPath}/${path}`),
    UseGuards(CallerGuard),
    UsePipes(BodyPipe, QueryPipe),
    ApiTags(noun),
    AnswersProblems(),
    ApiHeader({ name: 'Ledger-Tenant', required: false, description: 'With trusted headers: the tenant.' }),
    ApiHeader({ name: 'Ledger-Principal', required: false, description: 'With trusted headers: who calls.' }),
    ApiHeader({
      name: 'Ledger-Role',
      required: false,
      description: 'With trusted headers: user, agent or operator.',
    }),
  );
