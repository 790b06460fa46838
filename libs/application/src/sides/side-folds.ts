import type { Position } from '#event-store';
import type { Shelves } from '#domain';
import { RecencyList } from '../folds/recency-list.js';

/** Folds that are kept; what they hold together (nodes, children, updates), the newest fold's not counted. */
export const sideFoldsMax = 1_024;
export const sideNodesMax = 100_000;

/** A command under an idempotency key, as a side stream remembers it. */
export interface SideCommand {
  readonly requestHash: string;
  /** Of its last event. */
  readonly position: Position;
}

/** A late or a cancellation stream as decisions need it. It never changes. */
export interface SideFold<Log> {
  /** Undefined: the stream is empty, or nothing in it could be read. */
  readonly log: Log | undefined;
  /** -1: there is no such stream. */
  readonly revision: number;
  readonly lastEventId: string;
  readonly commands: Shelves<SideCommand>;
}

interface Entry<Log> {
  readonly stream: string;
  older: Entry<Log> | undefined;
  newer: Entry<Log> | undefined;
  fold: SideFold<Log>;
  weight: number;
}

/** A load under way, and the newest revision that was appended while it ran. */
interface Loading {
  appended: number;
  loads: number;
}

/** The folds of the side streams used last, bounded by their number and by what they hold. */
export class SideFolds<Log> {
  readonly #entries = new Map<string, Entry<Log>>();
  readonly #recency = new RecencyList<Entry<Log>>();
  readonly #loadings = new Map<string, Loading>();
  #weight = 0;

  /** @param weigh members that a fold holds */
  constructor(
    private readonly weigh: (log: Log | undefined) => number,
    private readonly limits = { folds: sideFoldsMax, nodes: sideNodesMax },
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  get(stream: string): SideFold<Log> | undefined {
    const entry = this.#entries.get(stream);
    if (entry !== undefined) this.#recency.use(entry);
    return entry?.fold;
  }

  /** What our own append has made of a stream. */
  advance(stream: string, fold: SideFold<Log>): void {
    const loading = this.#loadings.get(stream);
    if (loading !== undefined) loading.appended = Math.max(loading.appended, fold.revision);
    this.#put(stream, fold);
  }

  /** Runs a load and keeps what it brings, unless an append of our own has overtaken it. */
  async loading(stream: string, load: () => Promise<SideFold<Log>>): Promise<SideFold<Log>> {
    const loading = this.#loadings.get(stream) ?? { appended: -1, loads: 0 };
    loading.loads += 1;
    this.#loadings.set(stream, loading);
    try {
      const fold = await load();
      if (fold.revision >= loading.appended) this.#put(stream, fold);
      return fold;
    } finally {
      loading.loads -= 1;
      if (loading.loads === 0) this.#loadings.delete(stream);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#recency.clear();
    this.#weight = 0;
  }

  #put(stream: string, fold: SideFold<Log>): void {
    const weight = 1 + this.weigh(fold.log);
    const entry = this.#entries.get(stream);
    if (entry === undefined) {
      const added = { stream, older: undefined, newer: undefined, fold, weight };
      this.#entries.set(stream, added);
      this.#recency.add(added);
      this.#weight += weight;
    } else if (entry.fold.revision <= fold.revision) {
      this.#weight += weight - entry.weight;
      entry.fold = fold;
      entry.weight = weight;
      this.#recency.use(entry);
    }
    this.#evict();
  }

  drop(stream: string): void {
    const entry = this.#entries.get(stream);
    if (entry !== undefined) this.#remove(entry);
  }

  #evict(): void {
    const { folds, nodes } = this.limits;
    while (this.#entries.size > 1 && (this.#entries.size > folds || this.#weight > nodes)) {
      const oldest = this.#recency.oldest;
      if (oldest === undefined) return;
      this.#remove(oldest);
    }
  }

  #remove(entry: Entry<Log>): void {
    this.#entries.delete(entry.stream);
    this.#recency.remove(entry);
    this.#weight -= entry.weight;
  }
}
