import { Gauge, type Registry } from 'prom-client';
import type { Consumer, Standing } from '#application';
import type { StoreHealth } from '#event-store';
import type { StorageHealth } from '#views';

/** What is only asked for when somebody looks. */
export interface Readings {
  /** Streams, waits and feeds that are open now. */
  openStreams(): number;
  hotFolds(): { readonly hotHits: number; readonly hotMisses: number; readonly hotBytes: number };
  /** Events that each view has not handled yet. */
  viewLags(): Promise<readonly { readonly name: string; readonly lag: number; readonly setAside: number }[]>;
  /** Undefined where another instance leads it. */
  saga(): Promise<SagaReading | undefined>;
  /** Of every consumer that this instance stands for. */
  standings(): Readonly<Partial<Record<Consumer, Standing>>>;
  store(): StoreHealth;
  storage(): StorageHealth;
}

/** How far the saga has carried cancellations, links and late children. */
export interface SagaReading {
  /** Events that it has not taken up yet. */
  readonly lag: number;
  /** Events whose consequences are not all appended. */
  readonly open: number;
  /** Appends that are under way. */
  readonly inFlight: number;
}

/** Gauges that are read when Prometheus asks. */
export const watchReadings = (registry: Registry, readings: Readings): void => {
  const registers = [registry];
  watchOpenStreams(registers, readings);
  watchHotFolds(registers, readings);
  watchViews(registers, readings);
  watchSaga(registers, readings);
  watchStandings(registers, readings);
  watchStores(registers, readings);
};

/** What cannot be read now: its servers are away, which other gauges say. */
const orNothing = <Reading>(reading: Promise<Reading>): Promise<Reading | undefined> =>
  reading.catch(() => undefined);

const watchOpenStreams = (registers: Registry[], readings: Readings): void => {
  new Gauge({
    name: 'ledger_open_streams',
    help: 'Streams, waits and feeds that are open.',
    registers,
    collect() {
      this.set(readings.openStreams());
    },
  });
};

const watchHotFolds = (registers: Registry[], readings: Readings): void => {
  const gauge = (name: string, help: string, field: 'hotHits' | 'hotMisses' | 'hotBytes'): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(readings.hotFolds()[field]);
      },
    });
  gauge('ledger_hot_fold_hits', 'Commands decided without reading the task.', 'hotHits');
  gauge('ledger_hot_fold_misses', 'Commands that had to read the task.', 'hotMisses');
  gauge('ledger_hot_fold_bytes', 'Bytes of JSON that the hot folds count as.', 'hotBytes');
};

const watchViews = (registers: Registry[], readings: Readings): void => {
  const setAside = new Gauge({
    name: 'ledger_events_set_aside',
    help: 'Events that a view could not read.',
    labelNames: ['view'],
    registers,
  });
  new Gauge({
    name: 'ledger_projection_lag_events',
    help: 'Events of the log that a view has not handled.',
    labelNames: ['view'],
    registers,
    async collect() {
      const views = await orNothing(readings.viewLags());
      if (views === undefined) this.reset();
      for (const view of views ?? []) {
        this.set({ view: view.name }, view.lag);
        setAside.set({ view: view.name }, view.setAside);
      }
    },
  });
};

const watchSaga = (registers: Registry[], readings: Readings): void => {
  const open = new Gauge({
    name: 'ledger_saga_open_triggers',
    help: 'Events whose consequences are not all appended: running cancellations, links to be announced.',
    registers,
  });
  const inFlight = new Gauge({
    name: 'ledger_saga_appends_in_flight',
    help: 'Appends of the saga that are under way.',
    registers,
  });
  new Gauge({
    name: 'ledger_saga_lag_events',
    help: 'Events of the log that the saga has not taken up.',
    registers,
    async collect() {
      const saga = await orNothing(readings.saga());
      // Left out where another instance leads, or nobody can say: a zero would be a lie.
      if (saga === undefined) for (const gauge of [this, open, inFlight]) gauge.remove();
      else {
        this.set(saga.lag);
        open.set(saga.open);
        inFlight.set(saga.inFlight);
      }
    },
  });
};

const watchStandings = (registers: Registry[], readings: Readings): void => {
  new Gauge({
    name: 'ledger_leads',
    help: 'Whether this instance runs the consumer (1) or stands by (0).',
    labelNames: ['consumer'],
    registers,
    collect() {
      for (const [consumer, standing] of Object.entries(readings.standings()))
        this.set({ consumer }, standing === 'leading' ? 1 : 0);
    },
  });
};

const watchStores = (registers: Registry[], readings: Readings): void => {
  new Gauge({
    name: 'ledger_event_store_writable',
    help: 'Whether the event store takes appends.',
    registers,
    collect() {
      this.set(readings.store().writable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'ledger_event_store_behind',
    help: 'Whether what follows the log may be behind it: a subscription was lost, or is silent.',
    registers,
    collect() {
      this.set(readings.store().behind === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: 'ledger_storage_reachable',
    help: 'Whether the database of views and state answered last.',
    registers,
    collect() {
      this.set(readings.storage().reachable ? 1 : 0);
    },
  });
};
