import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../../errors.js';
import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  NewEvent,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StoreHealth,
  SubscribeOptions,
  Subscription,
} from '../../port.js';
import { Appends } from './calls/appends.js';
import { CallDesk } from './calls/call-desk.js';
import { LeaderReads } from './calls/leader-reads.js';
import { Reads } from './calls/reads.js';
import { Availability } from './client/availability.js';
import { Clients, type CallingClient } from './client/clients.js';
import { systemClock } from './client/clock.js';
import { RecentTrouble } from './client/recent-trouble.js';
import type { LoadedClient } from './driver/client-driver.js';
import { KnownEvents } from './known-events.js';
import type { StoreTimings } from './limits.js';
import { recordedEvent } from './recorded.js';
import type { ConnectionSettings } from './settings/connection-string.js';
import { Subscriptions } from './subscription/subscriptions.js';
import type { SubscriptionTimings } from './subscription/timings.js';

export interface EventStoreDbLogger {
  warn(details: object, message: string): void;
}

/** Counters, each called once for each time. */
export interface EventStoreDbMetrics {
  /** A client was left for a fresh one. */
  clientLeft?(): void;
  /** A client failed over an answer of the server, a second one as a rule. The process survived it. */
  clientFault?(): void;
  /** A call was tried once more. */
  retried?(): void;
  /** An append was given up without knowing whether it is there. */
  outcomeUnknown?(): void;
  /** A subscription was lost and taken up again. */
  resubscribed?(): void;
  /** An answer that knew less than this process was thrown away. */
  staleAnswer?(): void;
}

export interface EventStoreDbParts {
  readonly client: LoadedClient;
  readonly settings: ConnectionSettings;
  readonly timings: StoreTimings;
  readonly subscriptionTimings: Partial<SubscriptionTimings> | undefined;
  readonly logger: EventStoreDbLogger | undefined;
  readonly metrics: EventStoreDbMetrics;
}

/** The port over one client of an EventStoreDB. */
export class EventStoreDb implements EventStore {
  readonly #clients: Clients;
  readonly #availability: Availability;
  readonly #desk: CallDesk;
  readonly #known = new KnownEvents();
  readonly #leader: LeaderReads;
  readonly #reads: Reads;
  readonly #appends: Appends;
  readonly #subscriptions: Subscriptions;
  readonly #trouble: RecentTrouble;
  #closing: Promise<void> | undefined;

  constructor(private readonly parts: EventStoreDbParts) {
    const { timings, settings, client } = parts;
    this.#trouble = new RecentTrouble(timings.trouble, systemClock);
    this.#availability = new Availability(timings, () => this.#probe());
    this.#clients = new Clients(client.open, timings, systemClock, {
      replied: () => this.#availability.replied(),
      left: (reason, fault) => this.#clientLeft(reason, fault),
      cannotOpen: (error) => this.#availability.failed(`no client can be made: ${String(error)}`),
    });
    this.#desk = new CallDesk({
      clients: this.#clients,
      availability: this.#availability,
      timings,
      clock: systemClock,
      wireDeadline: settings.wireDeadline,
      onRetry: () => parts.metrics.retried?.(),
    });
    this.#leader = new LeaderReads(this.#desk);
    this.#reads = this.#makeReads();
    this.#appends = this.#makeAppends();
    this.#subscriptions = this.#makeSubscriptions();
  }

  get timings(): StoreTimings {
    return this.parts.timings;
  }

  /** Makes the first client, which connects with its first call. */
  open(): CallingClient {
    return this.#clients.open();
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    this.#refuseWhenClosing();
    const held = this.#subscriptions.endBeingFound();
    if (held !== undefined) await held;
    const result = await this.#appends.append(stream, events, expected);
    this.#subscriptions.appended(stream, result.position);
    return result;
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.#refuseWhenClosing();
    return this.#reads.stream(stream, options);
  }

  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    this.#refuseWhenClosing();
    return this.#reads.all(options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.#subscriptions.subscribe(options);
  }

  /**
   * The newest position under the prefix as this process knows it: by its appends, reads and subscriptions. Where it
   * knows none it looks back from the end of the log, for {@link StoreTimings.headScan}; then it is not known.
   */
  async head(prefix: string): Promise<Position | undefined> {
    this.#refuseWhenClosing();
    const known = this.#known.head(prefix);
    if (known !== undefined) return known;
    const newest = await this.#reads.newest(prefix);
    if (newest !== undefined) this.#known.seen(newest);
    return this.#known.head(prefix) ?? newest?.position;
  }

  health(): StoreHealth {
    const behind = this.#subscriptions.behind();
    const reason = this.#notWritable();
    return {
      ...(reason === undefined ? { writable: true } : { writable: false, reason }),
      ...(behind !== undefined && { behind }),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#desk.close();
    this.#subscriptions.close();
    await Promise.race([this.#appends.done(), delay(this.timings.close, undefined, { ref: false })]);
    await this.#clients.close();
  }

  #makeReads(): Reads {
    return new Reads({
      desk: this.#desk,
      leader: this.#leader,
      known: this.#known,
      onStaleAnswer: (client) => this.#staleAnswer(client),
      onShorterLog: (what) => this.parts.logger?.warn(what, 'the log ends before what was known of it'),
    });
  }

  #makeAppends(): Appends {
    return new Appends({
      desk: this.#desk,
      known: this.#known,
      read: (stream, options, end) => this.#reads.stream(stream, options, end),
      onUnknownOutcome: () => this.parts.metrics.outcomeUnknown?.(),
      onTrouble: (reason) => this.#trouble.note(reason),
      onStaleAnswer: (client) => this.#staleAnswer(client),
    });
  }

  #makeSubscriptions(): Subscriptions {
    return new Subscriptions({
      connection: {
        client: () => this.#clients.client(),
        leave: (client, reason) => this.#clients.leave(client, reason),
        readAllRaw: (options) => this.#reads.raw(options),
      },
      recorded: recordedEvent,
      timings: this.parts.subscriptionTimings,
      logger: this.parts.logger,
      onLost: () => this.parts.metrics.resubscribed?.(),
      onSeen: (event) => this.#known.seen(event),
    });
  }

  #staleAnswer(client: CallingClient): void {
    this.parts.metrics.staleAnswer?.();
    this.#clients.leave(client, 'it answered from an old log');
  }

  #clientLeft(reason: string, fault: boolean): void {
    this.parts.metrics.clientLeft?.();
    if (fault) this.parts.metrics.clientFault?.();
    this.parts.logger?.warn({ reason }, 'a client of the event store is left for a fresh one');
  }

  /** Whether the server is there: a read of one event, whose answer counts, whatever it is. */
  async #probe(): Promise<void> {
    const client = await this.#clients.client();
    await this.#leader.probe(client);
  }

  #notWritable(): string | undefined {
    if (this.#closing !== undefined) return 'the store is closing';
    const away = this.#availability.awayReason;
    return away === undefined ? this.#trouble.reason : `the database is away: ${away}`;
  }

  #refuseWhenClosing(): void {
    if (this.#closing !== undefined) throw new StoreUnavailableError('the store is closed');
  }
}
