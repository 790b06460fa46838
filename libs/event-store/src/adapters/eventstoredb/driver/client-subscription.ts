import type { DriverEvent, DriverPosition, DriverSubscriber, DriverSubscription } from './driver.js';
import { driverEventOf, type GrpcReadEvent } from './grpc-events.js';

/** What both clients call a subscription: a readable stream of events that tells the rest by the way. */
export interface ClientSubscription {
  readonly readableLength: number;
  on(event: 'data', listener: (converted: Converted) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'caughtUp' | 'end' | 'close', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  unsubscribe(): Promise<void>;
}

/** The client's own conversion, which parses the bodies; a property of its own in either, private by type only. */
interface Converting {
  convertGrpcEvent: (read: GrpcReadEvent) => Converted | undefined;
}

type Converted = { readonly event: DriverEvent } | { readonly failure: unknown };

/** The arguments of either client's `subscribeToAll`. */
export interface SubscribeToAllOptions {
  readonly fromPosition: DriverPosition | 'start' | 'end';
  readonly requiresLeader: true;
  readonly filter: {
    readonly filterOn: 'streamName';
    readonly checkpointInterval: number;
    readonly checkpointReached: (subscription: unknown, position: DriverPosition) => void;
  } & ({ readonly prefixes: string[] } | { readonly regex: string });
}

export interface SubscribeAllOptions {
  readonly from: DriverPosition | 'start' | 'end';
  /** `''`: everything but the server's own streams. */
  readonly prefix: string;
}

/** The end of a subscription that nobody asked for and that came without an error. */
export class SubscriptionEndedError extends Error {
  override readonly name = 'SubscriptionEndedError';
}

/** Times 32 events that the server considers: how often it says how far it has looked. */
const checkpointInterval = 16;

/** The server's own streams begin with a dollar. */
const notTheServers = '^[^$]';

export const followClient = (
  subscribeToAll: (options: SubscribeToAllOptions) => unknown,
  { from, prefix }: SubscribeAllOptions,
  subscriber: DriverSubscriber,
): DriverSubscription =>
  new Following(
    (checkpointReached) =>
      subscribeToAll({
        fromPosition: from,
        // While it catches up; of what comes live any node tells.
        requiresLeader: true,
        filter: {
          filterOn: 'streamName',
          checkpointInterval,
          checkpointReached: (_, position) => checkpointReached(position),
          ...(prefix === '' ? { regex: notTheServers } : { prefixes: [prefix] }),
        },
      }) as ClientSubscription & Converting,
    subscriber,
  );

/** A rejection in the client's stream handler would be nobody's: a failure goes the way of the events. */
const convert = (read: GrpcReadEvent): Converted | undefined => {
  try {
    // A link to what was deleted, should the server resolve one.
    if ((read.getLink() ?? read.getEvent()) === undefined) return undefined;
    return { event: driverEventOf(read) };
  } catch (failure) {
    return { failure };
  }
};

/** What was told while so many events before it still stood in the client's buffer. */
interface Later {
  events: number;
  checkpoint?: DriverPosition;
  caughtUp?: true;
}

class Following implements DriverSubscription {
  readonly #subscription: ClientSubscription & Converting;
  readonly #later: Later[] = [];
  #over = false;

  constructor(
    open: (checkpointReached: (position: DriverPosition) => void) => ClientSubscription & Converting,
    private readonly subscriber: DriverSubscriber,
  ) {
    // The client awaits this callback: a rejection would be nobody's, and the end of the subscription.
    this.#subscription = open((checkpoint) => this.#inOrder({ checkpoint }));
    this.#subscription.convertGrpcEvent = convert;
    // The listeners stand before the first await: an error without one ends the process.
    this.#subscription.on('error', (error) => this.#lost(error));
    this.#subscription.on('end', () => this.#lost(new SubscriptionEndedError('the server ended it')));
    this.#subscription.on('close', () => this.#lost(new SubscriptionEndedError('it was closed')));
    this.#subscription.on('caughtUp', () => this.#inOrder({ caughtUp: true }));
    this.#subscription.on('data', (converted) => this.#event(converted));
  }

  pause(): void {
    this.#subscription.pause();
  }

  resume(): void {
    this.#subscription.resume();
  }

  cancel(): void {
    this.#over = true;
    // It rejects when the call was never made.
    void this.#subscription.unsubscribe().catch(() => undefined);
    // What still stands in its buffer is let go.
    this.#subscription.resume();
  }

  #event(converted: Converted): void {
    if ('failure' in converted) return this.#lost(converted.failure);
    this.#guarded(() => this.subscriber.event(converted.event));
    for (const later of this.#later) later.events -= 1;
    for (let [first] = this.#later; first !== undefined && first.events <= 0; [first] = this.#later) {
      this.#later.shift();
      this.#tell(first);
    }
  }

  /**
   * The client tells this as soon as it reads it, while events that came before wait in its buffer. What is told behind
   * the same event is told as one: while a consumer waits there is no end of it.
   */
  #inOrder(told: Omit<Later, 'events'>): void {
    const events = this.#subscription.readableLength;
    const last = this.#later.at(-1);
    if (last === undefined && events === 0) this.#tell(told);
    else if (last?.events === events) Object.assign(last, told);
    else this.#later.push({ events, ...told });
  }

  #tell({ checkpoint, caughtUp }: Omit<Later, 'events'>): void {
    if (checkpoint !== undefined) this.#guarded(() => this.subscriber.checkpoint(checkpoint));
    if (caughtUp) this.#guarded(() => this.subscriber.caughtUp());
  }

  #guarded(tell: () => void): void {
    if (this.#over) return;
    try {
      tell();
    } catch (error) {
      this.#lost(error);
    }
  }

  #lost(error: unknown): void {
    if (this.#over) return;
    this.cancel();
    this.subscriber.error(error);
  }
}
