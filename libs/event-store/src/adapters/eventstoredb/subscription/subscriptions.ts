import { setMaxListeners } from 'node:events';
import { endableMessages } from '../../../endable-messages.js';
import type { Position, SubscribeOptions, Subscription, SubscriptionMessage } from '../../../port.js';
import { subscriptionBatchDefault } from '../../../subscription.js';
import { Course } from './course.js';
import { EndOfLog } from './end-of-log.js';
import type { SubscriptionParts } from './parts.js';
import type { Anchor } from './places.js';
import { driverPositionOf, isUnder } from './places.js';
import { Slots } from './slots.js';
import type { SupervisedSubscription } from './supervised-subscription.js';
import { Tail } from './tail.js';
import type { SubscriptionTimings } from './timings.js';
import { catchUpsMax, subscriptionTimings } from './timings.js';

export interface SubscriptionsOptions extends Omit<SubscriptionParts, 'timings' | 'onLogChanged'> {
  readonly timings?: Partial<SubscriptionTimings> | undefined;
}

interface UsedTail {
  readonly tail: Tail;
  users: number;
}

/** All subscriptions of one store. */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #tails = new Map<string, UsedTail>();
  readonly #catchingUp = new Set<SupervisedSubscription>();
  readonly #slots = new Slots(catchUpsMax);
  readonly #closing = new AbortController();
  readonly #end: EndOfLog;
  #changed: string | undefined;

  constructor({ timings, onSeen, ...parts }: SubscriptionsOptions) {
    this.#parts = {
      ...parts,
      timings: { ...subscriptionTimings, ...timings },
      onLogChanged: (error) => {
        // Whoever follows this log has to begin anew: it stays said until the process does.
        this.#changed = error.message;
        parts.logger?.warn({ error: error.message }, 'subscriptions end: the log is another one');
      },
      onSeen: (event) => {
        this.#end.know(event.position);
        onSeen?.(event);
      },
    };
    // As many as there are subscriptions.
    setMaxListeners(0, this.#closing.signal);
    this.#end = new EndOfLog(this.#parts, this.#closing.signal);
  }

  /** The port's `subscribe`, unchecked. */
  subscribe({ from, prefix, batchSize = subscriptionBatchDefault, signal }: SubscribeOptions): Subscription {
    const start = from === 'end' ? this.#endUnder(prefix) : Promise.resolve(anchorOf(from));
    const outer =
      signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    return {
      [Symbol.asyncIterator]: () =>
        endableMessages(outer, (ending) => this.#follow(prefix, start, { batchSize, signal: ending })),
    };
  }

  /** An append of this process was acknowledged. */
  appended(stream: string, position: Position): void {
    this.#end.know(position);
    for (const { tail } of this.#tails.values()) if (isUnder(tail.prefix, stream)) tail.appended(position);
  }

  /**
   * An append waits for this before it is sent: a subscription from the end is finding out where that is. A moment at
   * most, and nothing as a rule.
   */
  endBeingFound(): Promise<unknown> | undefined {
    return this.#end.held;
  }

  /** Why what subscriptions have delivered may be behind the log; nothing while all of them are in order. */
  behind(): string | undefined {
    if (this.#changed !== undefined) return this.#changed;
    for (const { tail } of this.#tails.values()) if (tail.trouble !== undefined) return tail.trouble;
    for (const { trouble } of this.#catchingUp) if (trouble !== undefined) return trouble;
    return undefined;
  }

  /** Ends all of them, without an error; an iteration that nobody goes on with ends here too. */
  close(): void {
    this.#closing.abort();
    for (const { tail } of this.#tails.values()) tail.close();
    for (const subscription of this.#catchingUp) subscription.close();
  }

  /** Where the tail stands, if it has come to the end of the log; else the log is asked. */
  #endUnder(prefix: string): Promise<Anchor | undefined> {
    const newest = this.#tails.get(prefix)?.tail.newest;
    return newest === undefined ? this.#end.find() : Promise.resolve(anchorOf(newest));
  }

  async *#follow(
    prefix: string,
    start: Promise<Anchor | undefined>,
    options: { readonly batchSize: number; readonly signal: AbortSignal },
  ): AsyncGenerator<SubscriptionMessage, void, undefined> {
    const from = await beforeAborted(start, options.signal);
    if (options.signal.aborted) return;
    const used = this.#use(prefix);
    const { tail } = used;
    try {
      const course = { parts: this.#parts, tail, slots: this.#slots, catchingUp: this.#catchingUp };
      yield* new Course(course, { ...options, from }).messages();
    } finally {
      this.#release(used);
    }
  }

  #use(prefix: string): UsedTail {
    const there = this.#tails.get(prefix);
    const used = there?.tail.failure === undefined ? there : undefined;
    const taken = used ?? { tail: new Tail(this.#parts, prefix), users: 0 };
    taken.users += 1;
    this.#tails.set(prefix, taken);
    return taken;
  }

  #release(used: UsedTail): void {
    used.users -= 1;
    if (used.users > 0) return;
    used.tail.close();
    if (this.#tails.get(used.tail.prefix) === used) this.#tails.delete(used.tail.prefix);
  }
}

/** Nothing when the signal fires first. */
const beforeAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });

/** An id is known only of what was seen here. */
const anchorOf = (from: Position | 'start'): Anchor | undefined =>
  from === 'start' || from === '' ? undefined : { position: driverPositionOf(from), id: undefined };
