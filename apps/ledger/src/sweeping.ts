import {
  streamNames,
  systemClock,
  type Candidacy,
  type Consumer,
  type Leadership,
  type Ledger,
  type Standing,
} from '#application';
import type { EventStore } from '#event-store';
import { openSaga, openTimers, type Saga } from '#saga';
import type { State, Views } from '#views';
import type { Logger } from 'pino';
import type { Role } from './config/deployment.js';
import { eventsAfter } from './observe/events-after.js';
import type { Metrics } from './observe/metrics.js';
import type { SagaReading } from './observe/readings.js';

export interface SweepingParts {
  readonly store: EventStore;
  readonly views: Views;
  readonly ledger: Ledger;
  readonly state: State;
  readonly leadership: Leadership;
  readonly roles: readonly Role[];
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

interface Runner {
  start(): void;
  close(): Promise<void>;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** What goes on by itself: the saga carries cancellations and links on, the timers end what is due. */
export class Sweeping {
  readonly #candidacies = new Map<Consumer, Candidacy>();
  #saga: Saga | undefined;

  constructor(private readonly parts: SweepingParts) {}

  /** Begins when everything it writes through stands; is closed first, so that nothing it began is cut off. */
  start(): void {
    this.#stand('saga', () => this.#openSaga());
    this.#stand('timers', () => this.#openTimers());
  }

  /** Of those of its consumers that this instance stands for. */
  get standings(): Readonly<Partial<Record<Consumer, Standing>>> {
    return Object.fromEntries([...this.#candidacies].map(([consumer, { standing }]) => [consumer, standing]));
  }

  /** Undefined where another instance leads: it knows. */
  async reading(): Promise<SagaReading | undefined> {
    const saga = this.#saga;
    if (saga === undefined) return undefined;
    const { position, open, inFlight } = saga.status;
    const { store, namespace } = this.parts;
    return { lag: await eventsAfter(store, streamNames(namespace).prefix, position), open, inFlight };
  }

  async close(): Promise<void> {
    for (const consumer of ['timers', 'saga'] as const) await this.#candidacies.get(consumer)?.close();
  }

  #stand(consumer: Consumer, open: () => Runner): void {
    const { roles, leadership } = this.parts;
    if (!roles.includes(consumer)) return;
    const lead = async (signal: AbortSignal): Promise<void> => {
      const runner = open();
      runner.start();
      await aborted(signal);
      await runner.close();
    };
    this.#candidacies.set(consumer, leadership.stand(consumer, lead));
  }

  #openSaga(): Runner {
    const { store, ledger, state, metrics, logger } = this.parts;
    const { cascade: desk, logId } = ledger;
    const saga = openSaga({
      desk,
      store,
      logId,
      logger,
      clock: systemClock,
      state: state.saga,
      metrics: metrics.saga,
    });
    const close = async (): Promise<void> => {
      await saga.close();
      this.#saga = undefined;
    };
    this.#saga = saga;
    return { start: () => saga.start(), close };
  }

  #openTimers(): Runner {
    const { ledger, views, logger } = this.parts;
    return openTimers({ desk: ledger.cascade, timers: views.timers, clock: systemClock, logger });
  }
}
