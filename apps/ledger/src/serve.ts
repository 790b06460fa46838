import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Parts } from './app.module.js';
import type { LedgerConfig } from './config/config.js';
import { createApp } from './create-app.js';
import { Address } from './http/address.js';
import { Drain } from './http/drain.js';
import type { EventStreams } from './http/event-streams.js';
import { Front } from './http/front.js';
import { InFlight } from './http/in-flight.js';
import { Metrics } from './observe/metrics.js';
import { watchReadings } from './observe/readings.js';
import { openRuntime, type Runtime } from './runtime.js';
import { Opened } from './start/opened.js';
import { Starting } from './start/starting.js';
import { waitingAnswers } from './start/waiting-answers.js';
import { openLocal } from './stores/local.js';
import { STREAMS } from './tokens.js';
import { waitUntil } from './wait-until.js';

/** While it drains, the service says so for this long at least, so that balancers and clients learn it. */
const drainMsLeast = 250;
/** Requests that have not ended by then are cut. */
const drainMsMax = 6_000;

/** How long a start waits for the views, before it serves without lists. */
const viewsWaitMs = 3_000;

export interface ServeOptions {
  /** Whether /docs is served; default true. */
  readonly docs?: boolean;
  readonly metrics?: Metrics;
  /** Calls the start off, as long as it lasts: it then rejects with StartStoppedError. */
  readonly stop?: AbortSignal;
}

export interface RunningLedger {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly eventsName: string;
  readonly viewsName: string;
  /** Refuses new requests, ends streams and waits, lets appends finish, then closes everything. */
  close(): Promise<void>;
}

const watchMetrics = (app: NestFastifyApplication, runtime: Runtime): void => {
  const { ledger, metrics, store, views } = runtime;
  const streams = app.get<EventStreams>(STREAMS);
  watchReadings(metrics.registry, {
    openStreams: () => Math.max(ledger.live.open, streams.open),
    hotFolds: () => ledger.counters,
    viewLags: () => views.reader.status(),
    saga: () => runtime.sagaReading(),
    standings: () => runtime.standings(),
    store: () => store.health(),
    storage: () => runtime.storageHealth(),
  });
};

/** Views a moment behind the log are waited for; views that are filled anew are not: everything but lists is served. */
const viewsServe = ({ views }: Runtime, starting: Starting): Promise<boolean> =>
  waitUntil(
    () => Promise.resolve(views.ready),
    (ready) => ready,
    { timeoutMs: viewsWaitMs, everyMs: 10, isOver: () => starting.isOff },
  );

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** What a start is made of, from its first moment. */
interface Beginning {
  readonly config: LedgerConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly starting: Starting;
  readonly front: Front;
  readonly opened: Opened;
  readonly docs: boolean;
}

const begin = (config: LedgerConfig, logger: Logger, options: ServeOptions): Beginning => {
  const { docs = true, metrics = new Metrics(), stop } = options;
  const starting = new Starting(logger, stop);
  const front = new Front(waitingAnswers(starting, metrics.registry));
  return { config, logger, metrics, starting, front, opened: new Opened(), docs };
};

/** First the sockets: nobody is answered by what is being closed. */
const end = async ({ front, opened }: Beginning): Promise<void> => {
  await front.close();
  await opened.close();
};

/** From here on the front leads to every surface. */
const serve = async (parts: Parts, { opened, starting, docs }: Beginning): Promise<void> => {
  const app = opened.add(await createApp(parts, docs));
  watchMetrics(app, parts.runtime);
  await viewsServe(parts.runtime, starting);
  starting.goOn();
  parts.front.open();
};

/** Opens what is on this machine, listens, and then opens what may have to be waited for. */
const open = async (beginning: Beginning): Promise<RunningLedger> => {
  const { config, logger, metrics, front, opened } = beginning;
  const local = await openLocal(config, metrics, opened);
  const address = new Address(config.publicUrl);
  address.listens(config.host, (await front.listen(config)).port);
  const inFlight = new InFlight(front.server);
  const runtime = await openRuntime({ ...beginning, local });
  const drain = new Drain();
  await serve({ config, runtime, logger, drain, address, front }, beginning);
  return {
    url: address.listening,
    eventsName: runtime.eventsName,
    viewsName: runtime.viewsName,
    async close() {
      drain.begin();
      await Promise.all([pause(drainMsLeast), inFlight.settled(drainMsMax)]);
      await end(beginning);
    },
  };
};

/**
 * Serves the surfaces of this instance's roles, however long the servers that it needs are waited for.
 * @throws ConfigError, StartStoppedError, or what a store says of its folder
 */
export const startLedger = async (
  config: LedgerConfig,
  logger: Logger,
  options: ServeOptions = {},
): Promise<RunningLedger> => {
  for (const variable of config.unknown)
    logger.warn({ variable }, 'a LEDGER_ variable that means nothing here');
  const beginning = begin(config, logger, options);
  try {
    return await open(beginning);
  } catch (error) {
    await end(beginning);
    throw error;
  }
};
