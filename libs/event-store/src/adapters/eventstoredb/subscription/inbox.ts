import type { RecordedEvent } from '../../../port.js';
import { Bell } from './bell.js';
import { weightOf } from './recent-events.js';
import { inboxEventsMax, inboxTextMax } from './timings.js';

export interface Tap {
  pause(): void;
  resume(): void;
}

/** What has come and has not been taken. It closes the tap when it is full and opens it when there is room again. */
export class Inbox {
  readonly bell = new Bell();
  #events: RecordedEvent[] = [];
  #text = 0;
  #live = false;
  #closed = false;

  constructor(private readonly tap: () => Tap | undefined) {}

  push(event: RecordedEvent): void {
    this.#events.push(event);
    this.#text += weightOf(event);
    if (!this.#closed && this.#fullness() >= 1) {
      this.#closed = true;
      this.tap()?.pause();
    }
    this.bell.ring();
  }

  becomeLive(): void {
    this.#live = true;
    this.bell.ring();
  }

  /** Everything that was there has come and been taken; told once. */
  takeLive(): boolean {
    const live = this.#live && this.#events.length === 0;
    if (live) this.#live = false;
    return live;
  }

  /** Resolves when a whole batch is here, when nothing more is to be expected soon, and at once when it is empty. */
  async gathered(batchSize: number, quiet: number, signal: AbortSignal): Promise<void> {
    const more = (): boolean => {
      const events = this.#events.length;
      return events > 0 && events < batchSize && !this.#live && !this.#closed && !signal.aborted;
    };
    while (more()) if (!(await this.bell.wait(signal, quiet))) return;
  }

  take(limit: number): readonly RecordedEvent[] {
    const taken = this.#events.splice(0, limit);
    for (const event of taken) this.#text -= weightOf(event);
    if (this.#closed && this.#fullness() <= 0.25) {
      this.#closed = false;
      this.tap()?.resume();
    }
    return taken;
  }

  #fullness(): number {
    return Math.max(this.#events.length / inboxEventsMax, this.#text / inboxTextMax);
  }
}
