import type { RecordedEvent } from '../../port.js';
import { fromPosition, toPosition } from '../../positions.js';
import type { LogPage, LogPageRequest } from '../../subscription.js';
import type { WrittenAppend } from './append-queue.js';
import { weightOf } from './recorded.js';

/** The appends of one transaction, in log order and without a gap. */
interface Chunk {
  readonly first: number;
  readonly last: number;
  readonly weight: number;
  readonly events: readonly RecordedEvent[];
}

/**
 * The newest events of the log, as this process has just written them: subscribers that keep up are served from
 * here and read no file. One run of positions without a gap, bounded by the weight of its texts.
 */
export class RecentEvents {
  #chunks: Chunk[] = [];
  #weight = 0;

  constructor(private readonly weightMax: number) {}

  /** `created`: the store's clock, milliseconds. */
  add(written: readonly WrittenAppend[], created: number): void {
    const chunk = chunkOf(written, new Date(created).toISOString());
    if (chunk === undefined) return;
    if (chunk.first !== this.#next) this.clear();
    this.#chunks.push(chunk);
    this.#weight += chunk.weight;
    this.#forgetOldest();
  }

  clear(): void {
    this.#chunks = [];
    this.#weight = 0;
  }

  /** The page after a position, or undefined when it does not lie wholly in what is kept. */
  page({ after, prefix, limit }: LogPageRequest): LogPage | undefined {
    const wanted = after + 1;
    const start = this.#chunks.findLastIndex(({ first }) => first <= wanted);
    if (start < 0 || wanted >= this.#next) return undefined;
    const events: RecordedEvent[] = [];
    let scannedTo = after;
    for (const chunk of this.#chunks.slice(start)) {
      for (const event of chunk.events.slice(scannedTo + 1 - chunk.first)) {
        if (events.length === limit) return { events, scannedTo };
        if (event.stream.startsWith(prefix)) events.push(event);
        scannedTo += 1;
      }
    }
    return { events, scannedTo };
  }

  /** The position that would go on from here. */
  get #next(): number {
    return (this.#chunks.at(-1)?.last ?? -1) + 1;
  }

  #forgetOldest(): void {
    while (this.#weight > this.weightMax) {
      const oldest = this.#chunks.shift();
      if (oldest === undefined) return;
      this.#weight -= oldest.weight;
    }
  }
}

const chunkOf = (written: readonly WrittenAppend[], created: string): Chunk | undefined => {
  const events = written.flatMap((append) => recordedOf(append, created));
  const first = events[0];
  const last = events.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const weight = events.reduce((sum, event) => sum + weightOf(event), 0);
  return { first: fromPosition(first.position), last: fromPosition(last.position), weight, events };
};

const recordedOf = ({ request, revision, position }: WrittenAppend, created: string): RecordedEvent[] => {
  const { stream, events } = request;
  return events.map(({ id, type, data, metadata }, index) => {
    const back = events.length - 1 - index;
    return {
      stream,
      revision: revision - back,
      position: toPosition(position - back),
      id,
      type,
      data,
      metadata,
      created,
    };
  });
};
