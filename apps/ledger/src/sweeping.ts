import { join } from 'node:path';
import type { Logger } from 'pino';
import { streamNames, systemClock, type Ledger } from '#application';
import type { EventStore } from '#event-store';
import { openSaga, openTimers } from '#saga';
import { openState, StateUnreadableError, type State, type Views } from '#views';
import { eventsAfter } from './observe/events-after.js';
import type { Metrics, SagaReading } from './observe/metrics.js';
import { reasonOf } from './reason.js';

export interface SweepingParts {
  readonly store: EventStore;
  readonly views: Views;
  readonly ledger: Ledger;
  /** Of `state.db`. */
  readonly folder: string;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** What goes on by itself: the saga carries cancellations and links on, the timers end what is due. */
export interface Sweeping {
  reading(): Promise<SagaReading>;
  close(): Promise<void>;
}

const openStateIn = async ({ folder, logger }: SweepingParts): Promise<State> => {
  const file = join(folder, 'state.db');
  try {
    return await openState({ file, logger });
  } catch (error) {
    if (error instanceof StateUnreadableError) throw error;
    throw new Error(`${file} cannot be opened (${reasonOf(error)})`, { cause: error });
  }
};

/** Begins when everything it writes through stands; is closed first, so that nothing it began is cut off. */
export const startSweeping = async (parts: SweepingParts): Promise<Sweeping> => {
  const { store, views, ledger, namespace, metrics, logger } = parts;
  const { prefix } = streamNames(namespace);
  const state = await openStateIn(parts);
  const common = { desk: ledger.cascade, clock: systemClock, logger };
  const { logId } = ledger;
  const saga = openSaga({ ...common, store, state: state.saga, logId, metrics: metrics.saga });
  const timers = openTimers({ ...common, timers: views.timers });
  saga.start();
  timers.start();
  return {
    reading: async () => {
      const { position, open, inFlight } = saga.status;
      return { lag: await eventsAfter(store, prefix, position), open, inFlight };
    },
    close: async () => {
      await timers.close();
      await saga.close();
      await state.close();
    },
  };
};
