import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../errors.js';
import type { Position, RecordedEvent, SubscriptionMessage } from '../../../port.js';
import { catchUp } from './catch-up.js';
import { checkAnchor } from './log-check.js';
import type { SubscriptionParts } from './parts.js';
import type { Anchor } from './places.js';
import { beforeAll, driverPositionOf, later, positionOf } from './places.js';
import type { RecentEvents } from './recent-events.js';
import type { Slots } from './slots.js';
import type { SupervisedSubscription } from './supervised-subscription.js';
import type { Tail } from './tail.js';

export interface CourseParts {
  readonly parts: SubscriptionParts;
  readonly tail: Tail;
  readonly slots: Slots;
  /** Subscriptions of the server that catch up now, for whoever asks after their health. */
  readonly catchingUp: Set<SupervisedSubscription>;
}

export interface CourseOptions {
  /** The start of the log without it. */
  readonly from: Anchor | undefined;
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/**
 * One consumer's way through the log: by a subscription of his own until he has come to what the tail keeps, then
 * with the tail, and by one of his own again should he fall behind it.
 */
export class Course {
  /** The newest event that is known to stand where this consumer has come to. */
  #anchor: Anchor | undefined;
  /** Everything under the prefix up to here has been handed over. */
  #covered: Position;
  #isChecked = false;

  constructor(
    private readonly course: CourseParts,
    private readonly options: CourseOptions,
  ) {
    this.#anchor = options.from;
    this.#covered = options.from === undefined ? beforeAll : positionOf(options.from.position);
  }

  async *messages(): AsyncGenerator<SubscriptionMessage, void, undefined> {
    const { tail } = this.course;
    const { signal, batchSize } = this.options;
    const acknowledged = tail.acknowledged;
    let told = false;
    while (!signal.aborted) {
      const recent = this.#recent();
      if (recent === undefined) {
        await tail.bell.wait(signal);
      } else if (this.#covered < recent.floor) {
        told = false;
        yield* this.#catchUp(recent.floor);
      } else {
        await this.#check(recent);
        const events = recent.after(this.#covered, batchSize);
        if (events.length > 0) {
          told = false;
          yield this.#hand(events);
        } else if (!told && tail.isLiveAt(acknowledged)) {
          told = true;
          yield { kind: 'live' };
        } else if (!signal.aborted) await tail.bell.wait(signal);
      }
    }
  }

  /** @throws LogChangedError when the tail ended */
  #recent(): RecentEvents | undefined {
    if (this.course.tail.failure !== undefined) throw this.course.tail.failure;
    return this.course.tail.recent;
  }

  /**
   * Up to where the tail begins. The log ends no earlier than that, so that a subscription of now which is live has
   * covered it. Whoever does not come back for more gives way to others, and begins anew when he comes.
   */
  async *#catchUp(floor: Position): AsyncGenerator<SubscriptionMessage, void, undefined> {
    const { parts, slots, tail, catchingUp } = this.course;
    const { batchSize } = this.options;
    const giveBack = await slots.take(this.options.signal);
    const idle = new AbortController();
    const signal = AbortSignal.any([this.options.signal, idle.signal]);
    const options = { prefix: tail.prefix, from: this.#anchor, batchSize, signal, catchingUp };
    const giveWay = (): void => {
      idle.abort();
      giveBack();
    };
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const batch of catchUp(parts, options)) {
        if (batch === 'live') this.#covered = later(this.#covered, floor);
        else {
          timer = setTimeout(giveWay, parts.timings.idle).unref();
          yield this.#hand(batch);
          clearTimeout(timer);
        }
        if (this.#covered >= (this.#recent()?.floor ?? floor)) return;
      }
    } finally {
      this.#isChecked = true;
      clearTimeout(timer);
      giveBack();
    }
  }

  /** One that begins with the tail at once has not been compared with the log yet. */
  async #check(recent: RecentEvents): Promise<void> {
    if (this.#isChecked) return;
    const stands = recent.floor === this.#covered || recent.has(this.#covered);
    if (this.#anchor !== undefined && !stands) await this.#compare(this.#anchor);
    this.#isChecked = true;
  }

  /** A database that is away is waited for. */
  async #compare(anchor: Anchor): Promise<void> {
    const { connection, timings } = this.course.parts;
    const { signal } = this.options;
    while (!signal.aborted) {
      try {
        return await checkAnchor(connection, anchor, { timings, signal });
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        await delay(timings.retryMax, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  #hand(events: readonly RecordedEvent[]): SubscriptionMessage {
    const last = events.at(-1);
    if (last !== undefined) {
      this.#covered = last.position;
      this.#anchor = { position: driverPositionOf(last.position), id: last.id };
    }
    return { kind: 'events', events };
  }
}
