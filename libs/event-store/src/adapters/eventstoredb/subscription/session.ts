import { setMaxListeners } from 'node:events';
import type { DriverEvent, DriverSubscription } from '../driver/driver.js';
import type { LiveClient } from './connection.js';
import type { SubscriptionParts } from './parts.js';
import type { Place } from './places.js';
import { isUnder, positionOf } from './places.js';
import { SilenceWatch } from './silence-watch.js';

export interface SessionOptions {
  readonly client: LiveClient;
  readonly place: Place;
  readonly prefix: string;
  readonly paused: boolean;
}

/** What one subscription on one client brings; each event once. */
export interface SessionReceiver {
  event(event: DriverEvent): void;
  /** Something came, whatever it was. */
  heard(): void;
  live(): void;
  /** An event of the log has not come in time; the session goes on. */
  overdue(reason: string): void;
}

/** One subscription on one client, until one of them is over. */
export class Session {
  /** Resolves with the reason for its end; it never rejects. */
  readonly over: Promise<string>;
  readonly #watch: SilenceWatch;
  #subscription: DriverSubscription | undefined;
  #ended = false;
  #end: (reason: string) => void = () => undefined;
  readonly #left = (): void => this.end('the client was left');

  constructor(
    { connection, timings }: SubscriptionParts,
    private readonly options: SessionOptions,
    private readonly receiver: SessionReceiver,
  ) {
    const { client, place, prefix } = options;
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#watch = new SilenceWatch({
      connection,
      timings,
      place,
      prefix,
      overdue: (reason) => receiver.overdue(reason),
      silent: (reason) => {
        connection.leave(client, `a subscription is silent: ${reason}`);
        this.end(`it went silent: ${reason}`);
      },
    });
    // As many as there are sessions, which are bounded.
    setMaxListeners(0, client.left);
    client.left.addEventListener('abort', this.#left);
    this.#open();
    if (options.paused) this.pause();
  }

  pause(): void {
    this.#subscription?.pause();
    this.#watch.pause();
  }

  resume(): void {
    this.#watch.resume();
    this.#subscription?.resume();
  }

  /** The receiver is told nothing more. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watch.end();
    this.options.client.left.removeEventListener('abort', this.#left);
    this.#subscription?.cancel();
    this.#end(reason);
  }

  #open(): void {
    const { client, place, prefix } = this.options;
    const from = place.restart();
    try {
      this.#subscription = client.driver.subscribeAll(
        { from, prefix },
        {
          event: (event) => this.#heard(() => this.#event(event)),
          checkpoint: (position) => this.#heard(() => place.scan(position)),
          caughtUp: () => this.#heard(() => this.#live()),
          error: (error) => this.end(textOf(error)),
        },
      );
    } catch (error) {
      this.end(textOf(error));
    }
    // It may have ended while it was being opened.
    if (this.#ended) this.#subscription?.cancel();
  }

  #heard(tell: () => void): void {
    if (this.#ended) return;
    this.#watch.heard();
    this.receiver.heard();
    tell();
  }

  #event(event: DriverEvent): void {
    const { place, prefix } = this.options;
    if (!isUnder(prefix, event.stream) || positionOf(event.position) <= place.delivered) return;
    // Handed over first: what the receiver cannot take has not been delivered.
    this.receiver.event(event);
    place.deliver(event.position, event.id);
  }

  #live(): void {
    this.#watch.live();
    this.receiver.live();
  }
}

export const textOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : String(error);
