import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Parts } from './app.module.js';
import type { LedgerConfig } from './config/config.js';
import { ConfigError } from './config/variables.js';
import { createApp } from './create-app.js';
import { Address } from './http/address.js';
import { registerDocs } from './http/docs.js';
import { Drain } from './http/drain.js';
import type { EventStreams } from './http/event-streams.js';
import { InFlight } from './http/in-flight.js';
import { waitUntil } from './wait-until.js';
import { openRuntime, type Runtime } from './runtime.js';
import { STREAMS } from './tokens.js';
import { version } from './version.js';

/** While it drains, the service says so for this long at least, so that balancers and clients learn it. */
const drainMsLeast = 250;
/** Requests that have not ended by then are cut. */
const drainMsMax = 6_000;

/** How long a start waits for the views, before it serves without lists. */
const viewsWaitMs = 3_000;

export interface ServeOptions {
  /** Whether /docs is served; default true. */
  readonly docs?: boolean;
}

export interface RunningLedger {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly eventsName: string;
  readonly viewsName: string;
  /** Refuses new requests, ends streams and waits, lets appends finish, then closes everything. */
  close(): Promise<void>;
}

const listen = async (app: NestFastifyApplication, { host, port }: LedgerConfig): Promise<AddressInfo> => {
  try {
    await app.listen(port, host);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE' || code === 'EACCES') {
      throw new ConfigError('LEDGER_PORT', String(port), `a port that is free on ${host} (${code})`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError('LEDGER_HOST', host, `an address of this machine (${code})`);
    }
    throw error;
  }
  return app.getHttpServer().address() as AddressInfo;
};

const watchMetrics = (app: NestFastifyApplication, runtime: Runtime): void => {
  const { ledger, metrics, views } = runtime;
  const streams = app.get<EventStreams>(STREAMS);
  metrics.watch({
    openStreams: () => Math.max(ledger.live.open, streams.open),
    hotFolds: () => ledger.counters,
    viewLags: () => views.reader.status(),
    saga: () => runtime.sagaReading(),
  });
};

const serve = async (parts: Parts, { docs = true }: ServeOptions): Promise<RunningLedger> => {
  const { address, config, drain, runtime } = parts;
  const app = await createApp(parts);
  if (docs) registerDocs(app, version);
  const inFlight = new InFlight(app.getHttpServer());
  watchMetrics(app, runtime);
  await viewsServe(runtime);
  const { port } = await listen(app, config);
  address.listens(config.host, port);
  return {
    url: address.listening,
    eventsName: runtime.eventsName,
    viewsName: runtime.viewsName,
    async close() {
      drain.begin();
      await Promise.all([pause(drainMsLeast), inFlight.settled(drainMsMax)]);
      await app.close();
      await runtime.close();
    },
  };
};

/** Views a moment behind the log are waited for; views that are filled anew are not: everything but lists is served. */
const viewsServe = ({ views }: Runtime): Promise<boolean> =>
  waitUntil(
    () => Promise.resolve(views.ready),
    (ready) => ready,
    { timeoutMs: viewsWaitMs, everyMs: 10, isOver: () => false },
  );

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Opens the stores and serves every surface on them. @throws ConfigError, or what a store says of its folder */
export const startLedger = async (
  config: LedgerConfig,
  logger: Logger,
  options: ServeOptions = {},
): Promise<RunningLedger> => {
  for (const variable of config.unknown)
    logger.warn({ variable }, 'a LEDGER_ variable that means nothing here');
  const runtime = await openRuntime(config, logger);
  try {
    return await serve(
      {
        config,
        runtime,
        logger,
        drain: new Drain(),
        address: new Address(config.publicUrl),
      },
      options,
    );
  } catch (error) {
    await runtime.close();
    throw error;
  }
};
