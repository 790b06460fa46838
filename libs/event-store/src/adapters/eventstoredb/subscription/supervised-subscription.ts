import { setTimeout as delay } from 'node:timers/promises';
import { LogChangedError } from '../../../errors.js';
import type { RecordedEvent } from '../../../port.js';
import { backoff } from '../calls/backoff.js';
import type { DriverEvent } from '../driver/driver.js';
import { checkAnchor } from './log-check.js';
import type { SubscriptionParts } from './parts.js';
import type { Anchor } from './places.js';
import { Place } from './places.js';
import { Session, textOf } from './session.js';
import { sessionsPerClientMax } from './timings.js';

/** Who gets what a subscription brings. */
export interface Receiver {
  event(event: RecordedEvent): void;
  /** Everything that was there has been brought; may be told many times. */
  live(): void;
  /** The end: nothing comes any more. */
  failed(error: LogChangedError): void;
}

/**
 * One subscription of the server that outlives its connections: log order, no gap, nothing twice. Whatever ends it
 * (an error, an end, a client that was left, silence), it goes on after the last event it delivered.
 */
export class SupervisedSubscription {
  readonly #place: Place;
  readonly #end = new AbortController();
  #session: Session | undefined;
  /** Why it was lost, until it is in order again. */
  #trouble: string | undefined;
  /** What it has not brought in time, until it brings something. */
  #overdue: string | undefined;
  #wasLive = false;
  #failures = 0;
  #paused = false;
  #resumed: () => void = () => undefined;

  /** Begins at once, after `from` or at the start of the log. */
  constructor(
    private readonly parts: SubscriptionParts,
    private readonly prefix: string,
    from: Anchor | undefined,
    private readonly receiver: Receiver,
  ) {
    this.#place = new Place(from);
    void this.#run();
  }

  /** Why what was delivered may be behind the log; nothing while all is in order. */
  get trouble(): string | undefined {
    return this.#trouble ?? this.#overdue;
  }

  /** The client stops reading what the server sends. */
  pause(): void {
    this.#paused = true;
    this.#session?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#session?.resume();
    this.#resumed();
  }

  /** The receiver is told nothing more. */
  close(): void {
    this.#end.abort();
    this.#session?.end('it was closed');
    this.#resumed();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        this.#lost(await this.#follow());
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LogChangedError) return this.#fail(error);
        this.#lost(textOf(error));
      }
      await this.#rest();
    }
  }

  /** One session on the client of now; resolves with the reason for its end. */
  async #follow(): Promise<string> {
    const { connection, timings } = this.parts;
    const { signal } = this.#end;
    const client = await connection.client(signal);
    const { anchor } = this.#place;
    if (anchor !== undefined) await checkAnchor(connection, anchor, { timings, signal });
    if (signal.aborted || client.left.aborted) return 'the client was left';
    const options = { client, place: this.#place, prefix: this.prefix, paused: this.#paused };
    this.#session = new Session(this.parts, options, {
      event: (event) => this.#deliver(event),
      heard: () => this.#heard(),
      live: () => this.#live(),
      overdue: (reason) => (this.#overdue = `a subscription to the log is behind: ${reason}`),
    });
    const reason = await this.#session.over;
    this.#session = undefined;
    this.#overdue = undefined;
    // A client may go on failing the same way, though the server answers.
    if (this.#failures >= sessionsPerClientMax) connection.leave(client, `subscriptions fail: ${reason}`);
    return reason;
  }

  #deliver(event: DriverEvent): void {
    const recorded = this.parts.recorded(event);
    this.receiver.event(recorded);
    this.#failures = 0;
    this.parts.onSeen?.(recorded);
  }

  #heard(): void {
    this.#overdue = undefined;
    // One that was live before is in order when it is live again.
    if (!this.#wasLive) this.#trouble = undefined;
  }

  #live(): void {
    this.#wasLive = true;
    this.#failures = 0;
    this.#trouble = undefined;
    this.receiver.live();
  }

  #lost(reason: string): void {
    if (this.#end.signal.aborted) return;
    const isNews = this.#trouble === undefined;
    this.#trouble = `a subscription to the log was lost: ${reason}`;
    const details = { prefix: this.prefix, position: this.#place.delivered, reason };
    // One line an outage: it is tried again every second or so.
    if (isNews) this.parts.logger?.warn(details, 'a subscription to the log was lost; it is opened again');
    this.parts.onLost?.(reason);
  }

  #fail(error: LogChangedError): void {
    this.#trouble = error.message;
    // A position that was handed in may be wrong for another reason.
    if (this.#place.anchor?.id !== undefined) this.parts.onLogChanged?.(error);
    this.receiver.failed(error);
  }

  /** Before the next attempt; a consumer that has not caught up with what it was given is waited for. */
  async #rest(): Promise<void> {
    const { signal } = this.#end;
    const pause = backoff(this.parts.timings, this.#failures++);
    // An aborted wait is the end, not a failure.
    await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    if (this.#paused && !signal.aborted) await new Promise<void>((resolve) => (this.#resumed = resolve));
  }
}
