import type { Direction, EventStore, RecordedEvent } from '#event-store';

/** Events of one page of a stream; most streams are read in one. */
export const streamPageSize = 500;

/** Reads streams page by page, and counts the pages: a test can see what was spared. */
export class StreamReader {
  /** Calls to the store so far. */
  reads = 0;

  constructor(private readonly store: EventStore) {}

  page(
    stream: string,
    from: number,
    limit: number,
    direction: Direction = 'forwards',
  ): Promise<readonly RecordedEvent[]> {
    this.reads += 1;
    return this.store.readStream(stream, { from, limit, direction });
  }

  /** The last event of a stream, if there is one. */
  newest(stream: string): Promise<readonly RecordedEvent[]> {
    this.reads += 1;
    return this.store.readStream(stream, { direction: 'backwards', limit: 1 });
  }

  /** All events of a stream from a revision on, by pages. */
  async *pages(stream: string, from: number): AsyncIterableIterator<readonly RecordedEvent[]> {
    let next = from;
    for (;;) {
      const events = await this.page(stream, next, streamPageSize);
      const last = events.at(-1);
      if (last === undefined) return;
      yield events;
      if (events.length < streamPageSize) return;
      next = last.revision + 1;
    }
  }

  async all(stream: string): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const page of this.pages(stream, 0)) events.push(...page);
    return events;
  }
}
