import {
  createParamDecorator,
  Inject,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { DomainError, type Caller } from '#domain';
import { CALLERS } from '../tokens.js';
import type { Callers } from './callers.js';

const operatorsOnlyKey = 'operators only';

/** The views of the whole ledger, which no user and no agent may look after. */
export const OperatorsOnly = (): ClassDecorator => SetMetadata(operatorsOnlyKey, true);

type RequestWithCaller = FastifyRequest & { ledgerCaller?: Caller };

/** Finds the caller of a request of the ledger API before anything else is done with it. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    @Inject(CALLERS) private readonly callers: Callers,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RequestWithCaller>();
    const caller = this.callers.of(request, 'ledger-api');
    if (this.#operatorsOnly(context) && caller.role !== 'operator') {
      throw new DomainError('forbidden', 'only operators may do this');
    }
    request.ledgerCaller = caller;
    return true;
  }

  #operatorsOnly(context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(operatorsOnlyKey, context.getClass()) === true;
  }
}

/** The caller that {@link CallerGuard} found. */
export const AsCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { ledgerCaller } = context.switchToHttp().getRequest<RequestWithCaller>();
  if (ledgerCaller === undefined) throw new DomainError('unauthenticated', 'no caller');
  return ledgerCaller;
});
