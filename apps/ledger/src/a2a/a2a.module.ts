import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { JsonRpcDoor, LedgerRequestHandler } from '#a2a';
import type { Ledger } from '#application';
import type { Views } from '#views';
import type { Callers } from '../auth/callers.js';
import type { LedgerConfig } from '../config/config.js';
import type { Address } from '../http/address.js';
import type { Drain } from '../http/drain.js';
import { A2A_FAULTS } from '../http/surface-faults.js';
import { ADDRESS, CALLERS, CONFIG, DRAIN, LEDGER, LOGGER, VIEWS } from '../tokens.js';
import { AgentCardController } from './agent-card.controller.js';
import { CallContexts } from './call-context.factory.js';
import { a2aFaults } from './faults.js';
import { JsonRpcController } from './json-rpc.controller.js';
import { LedgerCard } from './ledger-card.js';

/** The A2A surface over the ledger. What it stands on comes from the composition root, by token. */
@Module({
  controllers: [JsonRpcController, AgentCardController],
  providers: [
    {
      provide: LedgerCard,
      inject: [ADDRESS],
      useFactory: (address: Address) => new LedgerCard(address),
    },
    {
      provide: LedgerRequestHandler,
      inject: [LEDGER, VIEWS, CONFIG, LedgerCard, LOGGER],
      useFactory: (ledger: Ledger, views: Views, config: LedgerConfig, card: LedgerCard, logger: Logger) =>
        new LedgerRequestHandler({
          commands: ledger.commands,
          reader: ledger.reader,
          live: ledger.live,
          views: views.reader,
          card: () => card.current(),
          blockingTimeoutMs: config.blockingTimeoutMs,
          onUnexpected: (error) => {
            logger.error({ err: error }, 'an A2A call failed');
          },
        }),
    },
    {
      provide: JsonRpcDoor,
      inject: [LedgerRequestHandler],
      useFactory: (handler: LedgerRequestHandler) => new JsonRpcDoor(handler),
    },
    {
      provide: CallContexts,
      inject: [CALLERS, DRAIN],
      useFactory: (callers: Callers, drain: Drain) => new CallContexts(callers, drain),
    },
    { provide: A2A_FAULTS, useValue: a2aFaults },
  ],
  exports: [A2A_FAULTS],
})
export class A2aModule {}
