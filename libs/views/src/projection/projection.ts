import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Clock, LedgerLogger } from '#application';
import { LogChangedError, type EventStore, type Position, type RecordedEvent } from '#event-store';
import type { ViewDatabase } from '../store/index.js';
import type { ViewMetrics } from '../metrics.js';
import { BatchFolder } from './batch-folder.js';
import { Rests } from './rest.js';

export interface ProjectionParts {
  readonly store: EventStore;
  readonly namespace: string;
  readonly clock: Clock;
  readonly logger: LedgerLogger;
  readonly metrics: ViewMetrics;
}

/** What is told to whoever started a projection; the projection goes on when the promise is kept. */
export interface ProjectionEvents {
  /** Everything that was in the log has been handled; told after every batch from then on. */
  live(): Promise<void>;
  /** A batch has been written. */
  advanced(position: Position): void;
  /** Another log stands where this one stood. */
  changed(): void;
  /** Somebody waits until the view has come further. */
  isAwaited(): boolean;
}

/** Events of one batch of a view that serves, and of one that is being filled. */
const servingBatchSize = 500;
const fillingBatchSize = 1_024;
/** From this many events on, a batch lets others run before the next one. */
const longBatch = 128;

const retryDelayMs = 100;
const retryDelayMsMax = 2_000;

/** How long closed versions live, and how often they are looked through. Milliseconds. */
export const versionLifeMs = 15 * 60_000;
const purgeIntervalMs = 30_000;
/** Versions that one purge takes away. */
const purgeMax = 5_000;

/** Another runner moved the view on: this one starts over from where the view stands now. */
class OvertakenError extends Error {}

/** Follows the log and keeps one set of view tables in step with it. */
export class Projection {
  #position: Position;
  #folder: BatchFolder;
  #database: ViewDatabase;
  #isFilling: boolean;
  /** Told by the subscription that runs: it is told once, perhaps before all that was known then has come. */
  #isLive = false;
  #purgedAt = 0;
  readonly #rests = new Rests(() => this.events.isAwaited() || this.#stop.signal.aborted);
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  private constructor(
    private readonly parts: ProjectionParts,
    private readonly events: ProjectionEvents,
    database: ViewDatabase,
    at: { readonly position: Position; readonly building: boolean },
  ) {
    this.#database = database;
    this.#folder = new BatchFolder(database, parts.namespace);
    this.#position = at.position;
    this.#isFilling = at.building;
  }

  static async start(
    parts: ProjectionParts,
    events: ProjectionEvents,
    database: ViewDatabase,
  ): Promise<Projection> {
    const projection = new Projection(parts, events, database, await database.mark());
    projection.#ended = projection.#followAlways();
    return projection;
  }

  get position(): Position {
    return this.#position;
  }

  get database(): ViewDatabase {
    return this.#database;
  }

  /** Goes on with the same rows in another place: a view that was filled begins to serve. */
  moveTo(database: ViewDatabase): void {
    this.#database = database;
    this.#folder = new BatchFolder(database, this.parts.namespace);
    this.#isFilling = false;
  }

  /** Resolves when no batch is being written any more. Not to be awaited in {@link ProjectionEvents}. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #followAlways(): Promise<void> {
    const { signal } = this.#stop;
    let retryDelay = retryDelayMs;
    while (!signal.aborted) {
      const before = this.#position;
      try {
        await this.#follow(signal);
      } catch (error) {
        await this.#startOver(error);
      }
      retryDelay = before === this.#position ? Math.min(2 * retryDelay, retryDelayMsMax) : retryDelayMs;
      // An aborted wait is the end, not a failure.
      await delay(retryDelay, undefined, { signal }).catch(() => undefined);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    this.#isLive = false;
    const subscription = this.parts.store.subscribe({
      from: this.#position === '' ? 'start' : this.#position,
      prefix: `${this.parts.namespace}.`,
      batchSize: this.#isFilling ? fillingBatchSize : servingBatchSize,
      signal,
    });
    for await (const message of subscription) {
      if (signal.aborted) return;
      if (message.kind === 'events') await this.#apply(message.events);
      else await this.#live();
    }
  }

  #live(): Promise<void> {
    this.#isLive = true;
    this.#rests.caughtUp();
    return this.events.live();
  }

  /** Folds what was read at least once into rows that are written exactly once. */
  async #apply(delivered: readonly RecordedEvent[]): Promise<void> {
    const seen = this.#position;
    const events = delivered.filter(({ position }) => position > seen);
    const last = events.at(-1);
    if (last === undefined) return;
    const began = performance.now();
    const batch = await this.#folder.fold(events, { seen, now: this.parts.clock.now() });
    if (!(await this.#database.write(batch.rows))) throw new OvertakenError('the view was moved on');
    batch.keep();
    this.#position = last.position;
    this.parts.metrics.projected(events.length, performance.now() - began);
    this.events.advanced(last.position);
    await this.#purge();
    if (this.#isLive) await this.events.live();
    if (events.length >= longBatch) await nextTurn();
    const isFull = delivered.length >= servingBatchSize;
    if (!this.#isFilling)
      await this.#rests.after({ events: events.length, isFull, tookMs: performance.now() - began });
  }

  async #purge(): Promise<void> {
    const now = this.parts.clock.now();
    if (this.#isFilling || Math.abs(now - this.#purgedAt) < purgeIntervalMs) return;
    const purged = await this.#database.purge(now - versionLifeMs, purgeMax);
    // What is left over is taken away with the next batch.
    if (purged < purgeMax) this.#purgedAt = now;
  }

  async #startOver(error: unknown): Promise<void> {
    const details = {
      error: error instanceof Error ? error.message : String(error),
      position: this.#position,
    };
    this.parts.logger.warn(details, 'the view was interrupted and follows the log again');
    this.#folder.reset();
    if (error instanceof LogChangedError) this.events.changed();
    try {
      this.#position = (await this.#database.mark()).position;
    } catch {
      // The database is away as well: the next round finds out.
    }
  }
}
