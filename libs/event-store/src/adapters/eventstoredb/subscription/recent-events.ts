import type { Position, RecordedEvent } from '../../../port.js';
import { recentEventsMax, recentTextMax } from './timings.js';

/** The newest events of one prefix in log order, without a gap: everything after {@link floor}. */
export class RecentEvents {
  #events: RecordedEvent[] = [];
  #text = 0;
  #floor: Position;
  #newest: Position;

  constructor(
    from: Position,
    private readonly eventsMax = recentEventsMax,
    private readonly textMax = recentTextMax,
  ) {
    this.#floor = from;
    this.#newest = from;
  }

  /** What stands after this position is here. */
  get floor(): Position {
    return this.#floor;
  }

  get newest(): Position {
    return this.#newest;
  }

  has(position: Position): boolean {
    return this.#events[this.#indexAfter(position) - 1]?.position === position;
  }

  push(event: RecordedEvent): void {
    this.#events.push(event);
    this.#newest = event.position;
    this.#text += weightOf(event);
    if (this.#events.length > this.eventsMax || this.#text > this.textMax) this.#drop();
  }

  /** At most `limit` events after a position that is not below the floor. */
  after(position: Position, limit: number): readonly RecordedEvent[] {
    const first = this.#indexAfter(position);
    return this.#events.slice(first, first + limit);
  }

  /** A quarter at once: dropping one by one would move all the others each time. */
  #drop(): void {
    const least = this.#events.length / 4;
    let dropped = 0;
    for (const event of this.#events) {
      if (dropped >= least && this.#text <= this.textMax) break;
      dropped += 1;
      this.#text -= weightOf(event);
      this.#floor = event.position;
    }
    this.#events = this.#events.slice(dropped);
  }

  /** Index of the first event after a position. */
  #indexAfter(position: Position): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.#events[middle];
      if (there !== undefined && there.position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** UTF-16 units of text. */
export const weightOf = ({ stream, type, data, metadata }: RecordedEvent): number =>
  stream.length + type.length + data.length + metadata.length;
