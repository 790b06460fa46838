import 'reflect-metadata';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { isKnownClientFault } from '#event-store';
import { readConfig } from './config/config.js';
import { openLogger } from './observe/logger.js';
import { Metrics } from './observe/metrics.js';
import { startLedger } from './serve.js';
import { StartStoppedError } from './start/starting.js';

// The old generation is collected when it has grown by half of what lives in it, not by up to three times as much:
// memory stays near what the hot folds hold, for a few more collections of some milliseconds.
setFlagsFromString('--heap-growing-percent=50');

/** A stop that takes longer has failed, and says so by its exit code. */
const stopMsMax = 9_500;

const exitFailed = 1;

/** One line: what stopped the start, for whoever started it. */
const fail = (error: unknown): never => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`ledger cannot start: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exit(exitFailed);
};

const readConfigOrFail = (): ReturnType<typeof readConfig> => {
  try {
    return readConfig(process.env);
  } catch (error) {
    return fail(error);
  }
};

const config = readConfigOrFail();
const logger = openLogger(config.log);
const metrics = new Metrics();

// Node prints its warnings as text; here they are lines of the log like all others.
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => {
  logger.warn({ warning: name }, message);
});

/** Nothing may end this process without a word. */
const crash = (error: unknown): void => {
  logger.fatal({ err: error }, 'an error that nobody handled');
  process.exit(exitFailed);
};

/** What a client of the event store throws where nobody can catch it is no reason to end: nothing of ours is broken. */
const survive = (error: unknown): void => {
  if (!isKnownClientFault(error)) return crash(error);
  metrics.eventStore.clientFault();
  logger.warn({ err: error }, 'the client of the event store failed, and the service goes on');
};
process.on('uncaughtException', survive);
process.on('unhandledRejection', survive);

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A terminal's Ctrl-C comes twice, from the terminal and from npm: the first one counts.
    if (stopping.signal.aborted) return;
    logger.info({ signal }, 'the ledger is stopping');
    setTimeout(() => {
      logger.fatal('the ledger could not stop in time');
      process.exit(exitFailed);
    }, stopMsMax).unref();
    stopping.abort();
  });
}

const end = (): never => {
  logger.info('the ledger has stopped');
  process.exit(0);
};

const running = await startLedger(config, logger, { metrics, stop: stopping.signal }).catch(
  (error: unknown) => (error instanceof StartStoppedError ? end() : fail(error)),
);
process.stdout.write(
  `ledger ready http=${running.url} events=${running.eventsName} views=${running.viewsName}\n`,
);
if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
await running.close().catch(crash);
end();
