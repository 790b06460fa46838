import { StoreUnavailableError } from '../../../errors.js';
import type { Position } from '../../../port.js';
import type { DriverEvent } from '../driver/driver.js';
import type { SubscriptionConnection } from './connection.js';
import type { Place } from './places.js';
import { isUnder, positionOf } from './places.js';
import type { SubscriptionTimings } from './timings.js';
import { checkedEventsMax } from './timings.js';

export interface WatchedSubscription {
  readonly connection: SubscriptionConnection;
  readonly timings: SubscriptionTimings;
  readonly place: Place;
  readonly prefix: string;
  /** An event has stood in the log for a while and has not come. */
  overdue(reason: string): void;
  /** It did not come at all: the subscription brings nothing more. */
  silent(reason: string): void;
}

/**
 * A subscription of a server that hangs brings no error, it brings nothing. So one that is quiet is compared with the
 * log: what a leader has under the prefix must be delivered. Off while it is paused.
 */
export class SilenceWatch {
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #missing: { readonly position: Position; readonly since: number } | undefined;
  #live = false;
  #paused = false;
  #ended = false;

  constructor(private readonly watched: WatchedSubscription) {
    this.#plan(watched.timings.check);
  }

  /** Something came. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  live(): void {
    this.#live = true;
    this.heard();
  }

  pause(): void {
    this.#paused = true;
    this.#missing = undefined;
  }

  resume(): void {
    this.#paused = false;
    this.heard();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #plan(milliseconds: number): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.#look(), Math.max(1, milliseconds)).unref();
  }

  async #look(): Promise<void> {
    const { check, stalled } = this.watched.timings;
    const quiet = performance.now() - this.#heardAt;
    if (this.#paused || quiet < check) return this.#plan(this.#paused ? check : check - quiet);
    if (!this.#live && quiet >= stalled)
      return this.watched.silent(`it has brought nothing for ${String(Math.round(quiet))} ms`);
    await this.#compare();
    this.#plan(this.#nextLook());
  }

  #nextLook(): number {
    const { check, undelivered } = this.watched.timings;
    if (this.#missing === undefined) return check;
    return Math.min(check, undelivered - (performance.now() - this.#missing.since));
  }

  async #compare(): Promise<void> {
    const { connection, place } = this.watched;
    try {
      const from = place.scanned;
      const events = await connection.readAllRaw({ from, direction: 'forwards', limit: checkedEventsMax });
      if (this.#ended || this.#paused) return;
      // What was looked at last should be among them: servers have told of positions at which nothing stands.
      if (events.length === 0) place.restart();
      this.#judge(events);
    } catch (error) {
      // A store that does not answer is noticed by whoever looks after the client.
      if (!(error instanceof StoreUnavailableError)) this.watched.silent(String(error));
    }
  }

  #judge(events: readonly DriverEvent[]): void {
    const { place, prefix } = this.watched;
    for (const { stream, position, id } of events) {
      if (isUnder(prefix, stream) && positionOf(position) > place.delivered)
        return this.#miss(positionOf(position));
      place.pass(position, id);
    }
    this.#missing = undefined;
  }

  #miss(position: Position): void {
    if (this.#missing?.position !== position) {
      this.#missing = { position, since: performance.now() };
      return;
    }
    const age = performance.now() - this.#missing.since;
    const reason = `the event at ${position} has not been delivered for ${String(Math.round(age))} ms`;
    if (age >= this.watched.timings.undelivered) this.watched.silent(reason);
    else this.watched.overdue(reason);
  }
}
