import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { LedgerMetrics } from '#application';
import type { SagaMetrics } from '#saga';
import type { ViewMetrics } from '#views';

/** What is only asked for when somebody looks. */
export interface Readings {
  /** Streams, waits and feeds that are open now. */
  openStreams(): number;
  hotFolds(): { readonly hotHits: number; readonly hotMisses: number; readonly hotBytes: number };
  /** Events that each view has not handled yet. */
  viewLags(): Promise<readonly { readonly name: string; readonly lag: number; readonly setAside: number }[]>;
  saga(): Promise<SagaReading>;
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

const appendSeconds = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** A request waits for up to a day. */
const cascadeSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 600, 3_600, 86_400];
const batchEvents = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/** Prometheus metrics of one process; names begin with `ledger_`. */
export class Metrics implements LedgerMetrics, ViewMetrics {
  readonly registry = new Registry();
  readonly #appends = this.#counter('ledger_appends_total', 'Appends acknowledged by the event store.');
  readonly #events = this.#counter('ledger_events_appended_total', 'Events in acknowledged appends.');
  readonly #conflicts = this.#counter(
    'ledger_append_conflicts_total',
    'Decisions that lost a race and were made again.',
  );
  readonly #refusals = new Counter({
    name: 'ledger_refusals_total',
    help: 'Writes refused, on every surface, by stable code.',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly #problems = new Counter({
    name: 'ledger_api_problems_total',
    help: 'Problems that the ledger API answered, by stable code.',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly #latency = new Histogram({
    name: 'ledger_append_seconds',
    help: 'From the call of an append to its acknowledgement: the lag of a write.',
    buckets: appendSeconds,
    registers: [this.registry],
  });
  readonly #batches = new Histogram({
    name: 'ledger_commit_batch_events',
    help: 'Events that one commit of the event store made durable.',
    buckets: batchEvents,
    registers: [this.registry],
  });

  readonly #projected = this.#counter('ledger_events_projected_total', 'Events written to the views.');
  readonly #projections = new Histogram({
    name: 'ledger_projection_seconds',
    help: 'Folding and writing of one batch of a view.',
    buckets: appendSeconds,
    registers: [this.registry],
  });

  readonly #sagaRetries = this.#counter(
    'ledger_saga_retries_total',
    'Calls of the saga that failed and were tried again.',
  );
  readonly #cascades = new Histogram({
    name: 'ledger_cancellation_settled_seconds',
    help: 'From the first fact of a cancellation until every outcome was final.',
    buckets: cascadeSeconds,
    registers: [this.registry],
  });
  readonly #taken = this.#counter(
    'ledger_saga_triggers_total',
    'Events that the saga took up because their consequences may not all be appended.',
  );

  /** What the saga counts. */
  readonly saga: SagaMetrics = {
    taken: () => {
      this.#taken.inc();
    },
    retried: () => {
      this.#sagaRetries.inc();
    },
    settled: (milliseconds) => {
      this.#cascades.observe(milliseconds / 1_000);
    },
  };

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  appended(events: number, milliseconds: number): void {
    this.#appends.inc();
    this.#events.inc(events);
    this.#latency.observe(milliseconds / 1_000);
  }

  refused(code: string): void {
    this.#refusals.inc({ code });
  }

  answeredProblem(code: string): void {
    this.#problems.inc({ code });
  }

  conflict(): void {
    this.#conflicts.inc();
  }

  committed(events: number): void {
    this.#batches.observe(events);
  }

  projected(events: number, milliseconds: number): void {
    this.#projections.observe(milliseconds / 1_000);
    this.#projected.inc(events);
  }

  /** Adds what is read when Prometheus asks. */
  watch(readings: Readings): void {
    const registers = [this.registry];
    new Gauge({
      name: 'ledger_open_streams',
      help: 'Streams, waits and feeds that are open.',
      registers,
      collect() {
        this.set(readings.openStreams());
      },
    });
    this.#watchHotFolds(readings);
    this.#watchViews(readings);
    this.#watchSaga(readings);
  }

  #watchHotFolds(readings: Readings): void {
    const registers = [this.registry];
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
  }

  #watchViews(readings: Readings): void {
    const registers = [this.registry];
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
        for (const view of await readings.viewLags()) {
          this.set({ view: view.name }, view.lag);
          setAside.set({ view: view.name }, view.setAside);
        }
      },
    });
  }

  #watchSaga(readings: Readings): void {
    const registers = [this.registry];
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
        const saga = await readings.saga();
        this.set(saga.lag);
        open.set(saga.open);
        inFlight.set(saga.inFlight);
      },
    });
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }
}
