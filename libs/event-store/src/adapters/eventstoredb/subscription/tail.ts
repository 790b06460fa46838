import { setTimeout as delay } from 'node:timers/promises';
import type { Position, RecordedEvent } from '../../../port.js';
import { Bell } from './bell.js';
import { newestOfLog } from './end-of-log.js';
import type { SubscriptionParts } from './parts.js';
import type { Anchor } from './places.js';
import { beforeAll, later, positionOf } from './places.js';
import { RecentEvents } from './recent-events.js';
import { textOf } from './session.js';
import { SupervisedSubscription } from './supervised-subscription.js';

/**
 * The end of the log under one prefix, followed by one subscription of the server for all who follow it here: a
 * connection carries a hundred calls, and feeds may be more. It never waits for anybody: whoever falls behind what is
 * kept catches up with a subscription of his own.
 */
export class Tail {
  /** Rings when there is more, and at every change of what is told here. */
  readonly bell = new Bell();
  readonly #end = new AbortController();
  #recent: RecentEvents | undefined;
  #subscription: SupervisedSubscription | undefined;
  #trouble: string | undefined;
  #live = false;
  readonly #since = performance.now();
  #failure: Error | undefined;
  #acknowledged: Position = beforeAll;

  constructor(
    private readonly parts: SubscriptionParts,
    readonly prefix: string,
  ) {
    void this.#open();
  }

  /** Nothing until the end of the log is known. */
  get recent(): RecentEvents | undefined {
    return this.#recent;
  }

  get trouble(): string | undefined {
    return this.#subscription === undefined ? this.#slowness : this.#subscription.trouble;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Where the log ended when it was looked at last; nothing while that is not known. */
  get newest(): Position | undefined {
    return this.#live && this.trouble === undefined && this.#recent !== undefined
      ? later(this.#recent.newest, this.#acknowledged)
      : undefined;
  }

  /** Has everything up to here been brought? An append of this process may be acknowledged before it is. */
  isLiveAt(position: Position): boolean {
    const newest = this.#recent?.newest;
    return this.#live && this.trouble === undefined && newest !== undefined && newest >= position;
  }

  /** Newest position under the prefix that this process has been told of. */
  get acknowledged(): Position {
    return this.#acknowledged;
  }

  appended(position: Position): void {
    this.#acknowledged = later(this.#acknowledged, position);
  }

  close(): void {
    this.#end.abort();
    this.#subscription?.close();
    this.bell.ring();
  }

  get #slowness(): string | undefined {
    const waited = performance.now() - this.#since;
    if (waited < this.parts.timings.check) return undefined;
    return this.#trouble ?? `the end of the log has not been found for ${String(Math.round(waited))} ms`;
  }

  async #open(): Promise<void> {
    const { signal } = this.#end;
    const from = await this.#endOfLog();
    if (signal.aborted) return;
    this.#recent = new RecentEvents(from === undefined ? beforeAll : positionOf(from.position));
    this.#subscription = new SupervisedSubscription(this.parts, this.prefix, from, {
      event: (event) => this.#event(event),
      live: () => this.#becomeLive(),
      failed: (error) => this.#fail(error),
    });
    this.bell.ring();
  }

  /** Nothing for an empty log, and when this was closed before it was known. */
  async #endOfLog(): Promise<Anchor | undefined> {
    const { timings } = this.parts;
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        return await newestOfLog(this.parts);
      } catch (error) {
        this.#trouble = `the end of the log is not known: ${textOf(error)}`;
        await delay(timings.retryMax, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return undefined;
  }

  #event(event: RecordedEvent): void {
    this.#recent?.push(event);
    this.bell.ring();
  }

  #becomeLive(): void {
    this.#live = true;
    this.bell.ring();
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.bell.ring();
  }
}
