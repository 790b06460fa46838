import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../errors.js';
import { ClientLeftError, type CallKind, type ClientListener } from '../driver/client-listener.js';
import type { Driver } from '../driver/driver.js';
import type { StoreTimings } from '../limits.js';
import type { LiveClient } from '../subscription/connection.js';
import type { Clock } from './clock.js';
import { WaitingCalls } from './waiting-calls.js';

/** What {@link Clients} tells by the way. */
export interface ClientEvents {
  /** Something came from the server, on the client in use. */
  replied(): void;
  /** A client is being left, and why. `fault`: it failed over an answer, which the process survived. */
  left(reason: string, fault: boolean): void;
  /** No client can be made. */
  cannotOpen(error: unknown): void;
}

/** The client in use, and the calls that wait for it. */
export interface CallingClient extends LiveClient {
  readonly calls: WaitingCalls;
}

export type OpenDriver = (listener: ClientListener, disposeMilliseconds: number) => Driver;

/**
 * One live client. To leave it: nothing is sent on it any more, its calls under way are over (their outcome is not
 * known), it is disposed of, and only then the next one is made. In another order the old one can fail the appends of
 * the new one.
 */
export class Clients {
  #live: OneClient | undefined;
  #next: Promise<void> | undefined;
  #closed = false;
  /** Clients made since the last reply, the one that brought it included. */
  #sinceReply = 0;

  constructor(
    private readonly openDriver: OpenDriver,
    private readonly timings: StoreTimings,
    private readonly clock: Clock,
    private readonly events: ClientEvents,
  ) {}

  /** The first client. Throws what the client throws at its settings. */
  open(): CallingClient {
    this.#live = this.#make();
    return this.#live;
  }

  get current(): CallingClient | undefined {
    return this.#live;
  }

  /** Waits while one client is being left and the next one is not there yet. */
  async client(): Promise<CallingClient> {
    while (this.#live === undefined) {
      if (this.#closed || this.#next === undefined) throw new StoreUnavailableError('the store is closed');
      await this.#next;
    }
    return this.#live;
  }

  /** Nothing happens when this one has been left already. */
  leave(client: LiveClient, reason: string, fault = false): void {
    if (client !== this.#live || this.#live === undefined) return;
    const leaving = this.#live;
    this.#live = undefined;
    this.#next = this.#replace(leaving);
    this.events.left(reason, fault);
    leaving.end(new ClientLeftError(reason));
  }

  /** Leaves the client for good, within the time that it has to let go. */
  async close(): Promise<void> {
    this.#closed = true;
    const live = this.#live;
    this.#live = undefined;
    live?.end(new ClientLeftError('the store is closing'));
    await live?.driver.dispose();
    await this.#next;
  }

  async #replace(leaving: OneClient): Promise<void> {
    await leaving.driver.dispose();
    while (!this.#closed) {
      try {
        this.#live = this.#make();
        return;
      } catch (error) {
        // A certificate file may be missing for the moment in which it is exchanged.
        this.events.cannotOpen(error);
        await delay(this.timings.probeMax, undefined, { ref: false });
      }
    }
  }

  #make(): OneClient {
    const part = patienceAfter(this.#sinceReply);
    const silence = this.timings.silence * part;
    const silenceOfOneKind = this.timings.silenceOfOneKind * part;
    this.#sinceReply += 1;
    return new OneClient(this.openDriver, { ...this.timings, silence, silenceOfOneKind }, this.clock, {
      replied: () => {
        this.#sinceReply = 1;
        this.events.replied();
      },
      leave: (client, reason, fault) => this.leave(client, reason, fault),
    });
  }
}

/**
 * Parts of {@link StoreTimings.silence}. The second client may have been sent to the same hung leader, for nobody had
 * been elected yet: it is left sooner. Who brings nothing after that is slow rather than hung.
 */
const patience = [1, 2 / 3, 1, 2, 4];

const patienceAfter = (clients: number): number => patience[Math.min(clients, patience.length - 1)] ?? 1;

interface Owner {
  replied(): void;
  leave(client: OneClient, reason: string, fault: boolean): void;
}

class OneClient implements CallingClient {
  readonly driver: Driver;
  readonly calls: WaitingCalls;
  readonly #ended = new AbortController();

  constructor(openDriver: OpenDriver, timings: StoreTimings, clock: Clock, owner: Owner) {
    this.calls = new WaitingCalls(timings, clock, (reason) => owner.leave(this, reason, false));
    const reply = (kind: CallKind): void => {
      if (this.left.aborted) return;
      this.calls.reply(kind);
      owner.replied();
    };
    const fault = (error: unknown): void => {
      owner.leave(this, `the client failed over an answer: ${String(error)}`, true);
    };
    this.driver = openDriver({ reply, fault }, timings.dispose);
  }

  get left(): AbortSignal {
    return this.#ended.signal;
  }

  end(error: ClientLeftError): void {
    this.#ended.abort();
    this.calls.failAll(error);
  }
}
