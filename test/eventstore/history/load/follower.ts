import { performance } from 'node:perf_hooks';
import type { EventStore, RecordedEvent } from '#event-store';
import { Sightings } from './sightings.js';

/** One subscription over everything that is written, and what it delivered. */
export class Follower {
  readonly sightings = new Sightings(() => performance.now());
  readonly ids = new Set<string>();
  /** Delivered more than once, as is allowed; and after something later, which is not, unless it had been delivered. */
  repeated = 0;
  outOfOrder = 0;
  readonly #ending = new AbortController();
  #newest = '';
  #following: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly prefix: string,
  ) {}

  start(): void {
    this.#following = this.#follow();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { prefix } = this;
    const messages = this.store.subscribe({ from: 'start', prefix, signal: this.#ending.signal });
    for await (const message of messages) {
      if (message.kind !== 'events') continue;
      for (const event of message.events) this.#deliver(event);
      this.sightings.see(message.events.length);
    }
  }

  #deliver({ id, position }: RecordedEvent): void {
    if (this.ids.has(id)) this.repeated += 1;
    else if (position <= this.#newest) this.outOfOrder += 1;
    this.ids.add(id);
    if (position > this.#newest) this.#newest = position;
  }
}
