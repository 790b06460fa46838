import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import { A2aModule } from './a2a/a2a.module.js';
import { AnonymousCallers } from './auth/anonymous-callers.js';
import type { Callers } from './auth/callers.js';
import { TrustedHeadersCallers } from './auth/trusted-headers-callers.js';
import type { LedgerConfig } from './config/config.js';
import { isLoopback } from './config/variables.js';
import type { Address } from './http/address.js';
import type { Drain } from './http/drain.js';
import type { Front } from './http/front.js';
import { EventStreams } from './http/event-streams.js';
import { RootController } from './http/root.controller.js';
import { LedgerApiModule } from './ledger-api/ledger-api.module.js';
import { HealthController } from './observe/health.controller.js';
import { MetricsController } from './observe/metrics.controller.js';
import { Readiness } from './observe/readiness.js';
import type { Runtime } from './runtime.js';
import {
  ADDRESS,
  CALLERS,
  CONFIG,
  DRAIN,
  LEDGER,
  LOGGER,
  METRICS,
  READINESS,
  STORE,
  STREAMS,
  VIEWS,
} from './tokens.js';

export interface Parts {
  readonly config: LedgerConfig;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly drain: Drain;
  readonly address: Address;
  readonly front: Front;
}

const callersOf = ({ auth, host, trustedProxies }: LedgerConfig): Callers =>
  auth === 'none'
    ? new AnonymousCallers()
    : new TrustedHeadersCallers({ proxies: trustedProxies, loopbackOnly: isLoopback(host) });

const valuesOf = (parts: Parts): [symbol, unknown][] => [
  [CONFIG, parts.config],
  [LOGGER, parts.logger],
  [DRAIN, parts.drain],
  [ADDRESS, parts.address],
  [LEDGER, parts.runtime.ledger],
  [VIEWS, parts.runtime.views],
  [STORE, parts.runtime.store],
  [READINESS, new Readiness(parts)],
  [METRICS, parts.runtime.metrics],
  [CALLERS, callersOf(parts.config)],
  [STREAMS, new EventStreams(parts.drain, parts.logger)],
];

/** What was opened before Nest, for every module to inject. */
@Global()
@Module({})
export class PartsModule {
  static of(parts: Parts): DynamicModule {
    const providers = valuesOf(parts).map(([provide, useValue]) => ({ provide, useValue }));
    return { module: PartsModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}

/** Without the role `api`: health and metrics only. */
@Module({ controllers: [HealthController, MetricsController] })
export class AppModule {
  static of(parts: Parts): DynamicModule {
    const api = parts.config.roles.includes('api');
    return {
      module: AppModule,
      imports: [PartsModule.of(parts), ...(api ? [LedgerApiModule, A2aModule] : [])],
      controllers: api ? [RootController] : [],
    };
  }
}
