import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config/config.js';
import { openLogger } from './observe/logger.js';
import { startLedger, type RunningLedger } from './serve.js';

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

/** Nothing may end this process without a word. */
const crash = (error: unknown): void => {
  logger.fatal({ err: error }, 'an error that nobody handled');
  process.exit(exitFailed);
};
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

const stop = async (running: RunningLedger, signal: string): Promise<void> => {
  logger.info({ signal }, 'the ledger is stopping');
  setTimeout(() => {
    logger.fatal('the ledger could not stop in time');
    process.exit(exitFailed);
  }, stopMsMax).unref();
  await running.close();
  logger.info('the ledger has stopped');
  process.exit(0);
};

const stopOnSignals = (running: RunningLedger): void => {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A terminal's Ctrl-C comes twice, from the terminal and from npm: the first one counts.
      if (stopping) return;
      stopping = true;
      stop(running, signal).catch(crash);
    });
  }
};

const running = await startLedger(config, logger).catch(fail);
stopOnSignals(running);
process.stdout.write(
  `ledger ready http=${running.url} events=${running.eventsName} views=${running.viewsName}\n`,
);
