import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger, type CascadeDesk, type Clock, type LedgerLogger, type SagaState } from '#application';
import type { EventStore, Position } from '#event-store';
import { beforeAll } from './runner/checkpoint.js';
import { Runner, type RunnerParts } from './runner/runner.js';
import { completedMetrics, type SagaMetrics } from './telemetry.js';
import { Bell } from './work/busy.js';
import { textOf } from './work/calls.js';

export interface SagaOptions {
  readonly store: EventStore;
  readonly desk: CascadeDesk;
  readonly state: SagaState;
  readonly logId: string;
  readonly clock: Clock;
  readonly logger?: LedgerLogger;
  readonly metrics?: Partial<SagaMetrics>;
  /** Milliseconds that the announcement of a child is waited for before the saga makes it. Default 1,000. */
  readonly linkPatienceMs?: number;
}

export interface SagaStatus {
  /** Of the last event that was taken up. */
  readonly position: Position;
  /** Events whose consequences are not all appended; most of them wait for a task that was asked to stop. */
  readonly open: number;
  /** Reads and appends under way. */
  readonly inFlight: number;
}

/** Carries cancellations down the links, and repairs links that a crash left half made. */
export interface Saga {
  start(): void;
  readonly status: SagaStatus;
  /** Resolves when everything in the log has been taken up, and its consequences are appended or wait for a task. */
  idle(): Promise<void>;
  /** Ends what is in flight, and saves how far it came. */
  close(): Promise<void>;
}

/** Pause before a start is tried again, and before a run after another runner was found. Milliseconds. */
const startPauseMs = 500;
const overtakenPauseMs = 1_000;

const linkPatienceDefaultMs = 1_000;

/** Runs one {@link Runner} after the other. */
class FollowingSaga implements Saga {
  readonly #close = new AbortController();
  #runner: Runner | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RunnerParts) {}

  get status(): SagaStatus {
    const { position = beforeAll, open = 0, inFlight = 0 } = this.#runner ?? {};
    return { position, open, inFlight };
  }

  start(): void {
    this.#running = this.#run();
  }

  async idle(): Promise<void> {
    const { store, desk, bell } = this.parts;
    while (!this.#close.signal.aborted) {
      const changed = bell.next();
      const head = (await store.head(desk.names.prefix)) ?? beforeAll;
      const runner = this.#runner;
      if (runner !== undefined && runner.position >= head && runner.isIdle) return;
      await changed;
    }
  }

  async close(): Promise<void> {
    this.#close.abort();
    this.parts.bell.ring();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#close;
    while (!signal.aborted) {
      try {
        await this.#runOnce();
      } catch (error) {
        this.parts.logger.warn({ error: textOf(error) }, 'the saga cannot start yet');
        await pause(startPauseMs, signal);
      }
    }
  }

  /** Until the close, or until another runner is found: then all is read from the state again. */
  async #runOnce(): Promise<void> {
    const { signal } = this.#close;
    const overtaken = new AbortController();
    const runner = await Runner.start(this.parts, () => overtaken.abort());
    this.#runner = runner;
    this.parts.bell.ring();
    await aborted(AbortSignal.any([signal, overtaken.signal]));
    await runner.stop();
    if (signal.aborted) return;
    this.#runner = undefined;
    this.parts.logger.warn(
      { position: runner.position },
      'another saga follows this log too, or it was exchanged: starting over',
    );
    await pause(overtakenPauseMs, signal);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);

/** Nothing is done before `start`. */
export const openSaga = ({
  logger = silentLogger,
  metrics,
  linkPatienceMs = linkPatienceDefaultMs,
  ...options
}: SagaOptions): Saga =>
  new FollowingSaga({
    ...options,
    logger,
    metrics: completedMetrics(metrics),
    linkPatienceMs,
    bell: new Bell(),
  });
