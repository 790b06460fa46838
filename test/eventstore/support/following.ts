import type { EventStore, RecordedEvent, SubscribeOptions } from '#event-store';

/** A consumer that takes everything as it comes, for tests that break the server under it. */
export class Following {
  readonly events: RecordedEvent[] = [];
  /** How it ended: nothing yet, `done`, or the error. */
  ended: 'done' | Error | undefined;
  readonly over: Promise<void>;
  readonly #leave = new AbortController();
  #live = 0;
  #changed: () => void = () => undefined;

  constructor(store: EventStore, options: Omit<SubscribeOptions, 'signal'>) {
    this.over = this.#follow(store, { ...options, signal: this.#leave.signal });
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  /** Resolves when so many events have come. */
  async has(count: number): Promise<void> {
    await this.#until(() => this.events.length >= count);
  }

  /** Resolves when it has been told so. */
  async live(): Promise<void> {
    await this.#until(() => this.#live > 0);
  }

  async leave(): Promise<void> {
    this.#leave.abort();
    await this.over;
  }

  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      if (this.ended !== undefined) throw new Error(`it ended: ${String(this.ended)}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }

  async #follow(store: EventStore, options: SubscribeOptions): Promise<void> {
    try {
      for await (const message of store.subscribe(options)) {
        if (message.kind === 'live') this.#live += 1;
        else this.events.push(...message.events);
        this.#changed();
      }
      this.ended = 'done';
    } catch (error) {
      this.ended = error instanceof Error ? error : new Error(String(error));
    }
    this.#changed();
  }
}
