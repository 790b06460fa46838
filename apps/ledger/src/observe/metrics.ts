import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { LedgerMetrics } from '#application';
import type { EventStoreDbMetrics } from '#event-store';
import type { SagaMetrics } from '#saga';
import type { ViewMetrics } from '#views';

const appendSeconds = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** A request waits for up to a day. */
const cascadeSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 600, 3_600, 86_400];
const batchEvents = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/** Prometheus metrics of one process; names begin with `ledger_`. */
export class Metrics implements ViewMetrics {
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

  readonly #clientFaults = this.#counter(
    'ledger_event_store_client_faults_total',
    'Errors thrown by the client of the event store out of nowhere, that the process survived.',
  );
  readonly #storeRetries = this.#counter(
    'ledger_event_store_retries_total',
    'Calls to the event store that were made again.',
  );
  readonly #unknownOutcomes = this.#counter(
    'ledger_event_store_unknown_outcomes_total',
    'Appends of which no answer said whether they were written.',
  );
  readonly #clientsLeft = this.#counter(
    'ledger_event_store_clients_left_total',
    'Connections to the event store that were given up for fresh ones.',
  );
  readonly #staleAnswers = this.#counter(
    'ledger_event_store_stale_answers_total',
    'Answers that knew less of the log than this process, and were thrown away.',
  );
  readonly #resubscriptions = this.#counter(
    'ledger_event_store_resubscriptions_total',
    'Subscriptions that were lost or silent, and were begun anew where they stood.',
  );

  /** What the connection to an event store on servers counts. */
  readonly eventStore = {
    clientFault: () => {
      this.#clientFaults.inc();
    },
    retried: () => {
      this.#storeRetries.inc();
    },
    outcomeUnknown: () => {
      this.#unknownOutcomes.inc();
    },
    clientLeft: () => {
      this.#clientsLeft.inc();
    },
    resubscribed: () => {
      this.#resubscriptions.inc();
    },
    staleAnswer: () => {
      this.#staleAnswers.inc();
    },
  } satisfies EventStoreDbMetrics;

  /** What the commands count. */
  readonly ledger: LedgerMetrics = {
    appended: (events, milliseconds) => {
      this.#appends.inc();
      this.#events.inc(events);
      this.#latency.observe(milliseconds / 1_000);
    },
    refused: (code) => {
      this.#refusals.inc({ code });
    },
    conflict: () => {
      this.#conflicts.inc();
    },
  };

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  answeredProblem(code: string): void {
    this.#problems.inc({ code });
  }

  committed(events: number): void {
    this.#batches.observe(events);
  }

  projected(events: number, milliseconds: number): void {
    this.#projections.observe(milliseconds / 1_000);
    this.#projected.inc(events);
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }
}
