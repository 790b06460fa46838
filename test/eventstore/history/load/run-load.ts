import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#event-store';
import { eventually } from '../../../support/waiting.js';
import { readWhole } from '../clients/log-reading.js';
import { Follower } from './follower.js';
import { Sightings } from './sightings.js';
import { type Acknowledgement, Writer } from './writer.js';

export interface LoadOptions {
  readonly store: EventStore;
  /** What the names of this run's streams begin with; nothing stands under it yet. */
  readonly prefix: string;
  readonly writers: number;
  /** Done while they write; they go on for a while before and after it. */
  readonly disturb: () => Promise<void>;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** What became of a run. Milliseconds. */
export interface LoadReport {
  readonly acknowledged: number;
  /** Acknowledged, and not in the log where it was told to be. */
  readonly lost: number;
  /** Ids that stand in the log more than once. */
  readonly doubled: number;
  /** In the log, never delivered to the subscription. */
  readonly missed: number;
  readonly outOfOrder: number;
  readonly repeatedDeliveries: number;
  /** Attempts without an answer. */
  readonly failures: Readonly<Record<string, number>>;
  readonly longestGapOfAcknowledgements: number;
  readonly longestGapOfSubscription: number;
  /** From when nothing more was delivered, though writes went on or were tried, to when health said so; 0: never. */
  readonly saidBehindAfter: number;
  /** How long it took to disturb the store. */
  readonly disturbedMs: number;
  readonly tookMs: number;
}

type Times = 'longestGapOfAcknowledgements' | 'longestGapOfSubscription' | 'disturbedMs' | 'tookMs';
type Compared = Omit<LoadReport, Times>;

/** The subscription has caught up with the log by then, or it never will. */
const catchUpLimitMs = 30_000;
const lookEveryMs = 100;

/** Writers and one subscription while something happens to the store; then the log is read and compared. */
export class Load {
  readonly #acknowledgements: Acknowledgement[] = [];
  readonly #failures: Record<string, number> = {};
  readonly #acknowledged = new Sightings(() => performance.now());
  readonly #follower: Follower;
  #goesOn = true;
  #saidBehindAfter = 0;

  constructor(private readonly options: LoadOptions) {
    this.#follower = new Follower(options.store, options.prefix);
  }

  async run(): Promise<LoadReport> {
    const { disturb, beforeMs, afterMs } = this.options;
    const began = performance.now();
    this.#follower.start();
    const writing = this.#write();
    const watching = this.#watchHealth();
    await delay(beforeMs);
    const disturbed = new Sightings(() => performance.now());
    await disturb();
    const disturbedMs = Math.round(disturbed.currentGap);
    await delay(afterMs);
    this.#goesOn = false;
    await Promise.all([writing, watching]);
    const times = {
      disturbedMs,
      longestGapOfAcknowledgements: Math.round(this.#acknowledged.longestGap),
      longestGapOfSubscription: Math.round(this.#follower.sightings.longestGap),
      tookMs: Math.round(performance.now() - began),
    };
    const report = { ...(await this.#compared()), ...times };
    await this.#follower.stop();
    return report;
  }

  async #write(): Promise<void> {
    const writers = Array.from({ length: this.options.writers }, (_, number) =>
      new Writer({
        store: this.options.store,
        stream: `${this.options.prefix}writer-${String(number)}`,
        goesOn: () => this.#goesOn,
        acknowledged: (told) => {
          this.#acknowledgements.push(told);
          this.#acknowledged.see();
        },
        failed: (code) => {
          this.#failures[code] = (this.#failures[code] ?? 0) + 1;
        },
      }).run(),
    );
    await Promise.all(writers);
  }

  /** How long the subscription had been silent when health first named it. */
  async #watchHealth(): Promise<void> {
    while (this.#goesOn) {
      const silentFor = this.#follower.sightings.currentGap;
      if (this.#saidBehindAfter === 0 && this.options.store.health().behind !== undefined)
        this.#saidBehindAfter = Math.round(silentFor);
      await delay(lookEveryMs);
    }
  }

  async #compared(): Promise<Compared> {
    const { ids, outOfOrder } = this.#follower;
    const log = await readWhole(this.options.store, this.options.prefix);
    const places = new Map(log.map((event) => [event.id, event]));
    await eventually(
      'the subscription has caught up',
      async () => ([...places.keys()].every((id) => ids.has(id)) ? true : undefined),
      catchUpLimitMs,
    ).catch(() => undefined);
    const isThere = ({ stream, id, revision, position }: Acknowledgement): boolean => {
      const event = places.get(id);
      return event?.stream === stream && event.revision === revision && event.position === position;
    };
    return {
      acknowledged: this.#acknowledgements.length,
      lost: this.#acknowledgements.filter((told) => !isThere(told)).length,
      doubled: log.length - places.size,
      missed: [...places.keys()].filter((id) => !ids.has(id)).length,
      outOfOrder,
      repeatedDeliveries: this.#follower.repeated,
      failures: this.#failures,
      saidBehindAfter: this.#saidBehindAfter,
    };
  }
}
