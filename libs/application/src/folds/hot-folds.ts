import type { Task } from '#domain';
import type { Position } from '#event-store';
import type { TaskChange } from '../application.js';
import { RecencyList } from './recency-list.js';

/** Events a fold keeps for readers and watchers; a view is rarely that far behind. */
export const tailEventsMax = 64;
/** Bytes of JSON of those events; the newest one stays in any case. */
export const tailBytesMax = 65_536;

/** A task as decisions need it, and the newest of its events with the task as of each. It never changes. */
export interface Fold {
  readonly task: Task;
  /** Consecutive revisions, the last one is the task's; empty only where the last event was not read. */
  readonly tail: readonly TaskChange[];
  /** Of the event that was asked for with it, where that was read for this very fold. */
  readonly position?: Position;
}

interface Entry {
  readonly taskId: string;
  older: Entry | undefined;
  newer: Entry | undefined;
  task: Task;
  tail: readonly TaskChange[];
  tailBytes: number;
  bytes: number;
}

/** A load under way, and the newest revision that was seen while it ran. */
export interface Loading {
  readonly taskId: string;
  newestSeen: number;
  loads: number;
}

// What a fold takes without its lists, and one member of each list. Measured as heap: a new task of one small message
// takes 2.2 kB, a fifth of it is the message's JSON.
const foldBytes = 1_600;
const commandBytes = 160;
const childBytes = 120;
const artifactBytes = 120;
/** One command in the list that each task of the tail may have of its own. */
const commandCopyBytes = 8;

const bytesOf = ({ task, tail, tailBytes }: Entry): number => {
  const commands = task.commands.length * (commandBytes + tail.length * commandCopyBytes);
  const artifacts = task.artifacts.reduce((sum, { count }) => sum + count, 0) * artifactBytes;
  const children = task.children.reduce((sum, { count }) => sum + count, 0) * childBytes;
  return foldBytes + commands + artifacts + children + tailBytes;
};

const bytesOfEvents = (changes: readonly TaskChange[]): number =>
  changes.reduce((sum, { event }) => sum + event.bytes, 0);

/**
 * The folds of the tasks used last, bounded by bytes of JSON (docs/adr/0006). A fold is moved on by the next
 * revision only; whoever sees a gap, a conflict or an unknown outcome drops it. 0 bytes: nothing is kept.
 */
export class HotFolds {
  hits = 0;
  misses = 0;
  /** Tasks with an append of our own under way, and the newest revision that was seen while it ran. */
  readonly #appending = new Map<string, number>();
  readonly #entries = new Map<string, Entry>();
  readonly #recency = new RecencyList<Entry>();
  readonly #loadings = new Map<string, Loading>();
  #bytes = 0;

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(taskId: string): Fold | undefined {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) {
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    this.#recency.use(entry);
    return { task: entry.task, tail: entry.tail };
  }

  /** A fold, without counting as a use. */
  peek(taskId: string): Fold | undefined {
    const entry = this.#entries.get(taskId);
    return entry && { task: entry.task, tail: entry.tail };
  }

  /** The revision a fold stands at, without counting as a use. */
  revisionOf(taskId: string): number | undefined {
    return this.#entries.get(taskId)?.task.revision;
  }

  /** Moves a fold on by what was appended (or makes one: whoever appended at an exact revision knows the task). */
  advance(taskId: string, changes: readonly TaskChange[]): void {
    const first = changes[0];
    const last = changes.at(-1);
    if (first === undefined || last === undefined) return;
    this.#see(taskId, last.task.revision);
    if (this.bytesMax === 0) return;
    const entry = this.#entries.get(taskId);
    const stands = entry?.task.revision ?? -1;
    if (stands >= last.task.revision) return;
    if (entry !== undefined && stands === first.event.revision - 1) this.#extend(entry, changes);
    else this.#put(taskId, { task: last.task, tail: changes });
  }

  /** Keeps what a load has brought, unless something newer was seen meanwhile or the fold is not fit for decisions. */
  offer(loading: Loading, fold: Fold): void {
    const { taskId } = loading;
    if (this.bytesMax === 0 || fold.task.unreadable !== undefined) return;
    if (fold.task.revision < Math.max(loading.newestSeen, this.revisionOf(taskId) ?? -1)) return;
    if (this.revisionOf(taskId) === fold.task.revision) return;
    this.#put(taskId, fold);
  }

  /** Called around every load, so that an append seen while it runs is not lost. */
  beginLoad(taskId: string): Loading {
    const loading = this.#loadings.get(taskId) ?? { taskId, newestSeen: -1, loads: 0 };
    loading.loads += 1;
    this.#loadings.set(taskId, loading);
    return loading;
  }

  endLoad(loading: Loading): void {
    loading.loads -= 1;
    if (loading.loads === 0) this.#loadings.delete(loading.taskId);
  }

  /** Called around every append of our own: its answer moves the fold on, or a conflict drops it. */
  beginAppend(taskId: string): void {
    this.#appending.set(taskId, -1);
  }

  /** An append of our own is under way: its event may be seen in the log before its answer moves the fold on. */
  isAppending(taskId: string): boolean {
    return this.#appending.has(taskId);
  }

  /** Somebody else may have written behind our append before it was answered: then the fold has missed something. */
  endAppend(taskId: string): void {
    const seen = this.#appending.get(taskId) ?? -1;
    this.#appending.delete(taskId);
    if (seen > (this.revisionOf(taskId) ?? -1)) this.drop(taskId);
  }

  /** An event of this task was seen in the log: by `evolve`, the fold moves on, where it stood just before it. */
  follow(taskId: string, revision: number, evolve: (task: Task) => TaskChange | undefined): void {
    this.#see(taskId, revision);
    const seen = this.#appending.get(taskId);
    if (seen !== undefined) {
      this.#appending.set(taskId, Math.max(seen, revision));
      return;
    }
    const entry = this.#entries.get(taskId);
    if (entry === undefined || revision <= entry.task.revision) return;
    const change = revision === entry.task.revision + 1 ? evolve(entry.task) : undefined;
    if (change === undefined) this.drop(taskId);
    else this.#extend(entry, [change]);
  }

  /** A verified view stands at this revision: older events are not needed any more. */
  forgetBefore(taskId: string, revision: number): void {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return;
    const older = entry.tail.filter(({ event }) => event.revision < revision).length;
    const first = Math.min(older, entry.tail.length - 1);
    if (first <= 0) return;
    this.#hold(entry, entry.tail.slice(first), entry.tailBytes - bytesOfEvents(entry.tail.slice(0, first)));
  }

  drop(taskId: string): void {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return;
    this.#entries.delete(taskId);
    this.#recency.remove(entry);
    this.#bytes -= entry.bytes;
  }

  clear(): void {
    this.#entries.clear();
    this.#recency.clear();
    this.#bytes = 0;
  }

  #see(taskId: string, revision: number): void {
    if (this.#loadings.size === 0) return;
    const loading = this.#loadings.get(taskId);
    if (loading !== undefined && revision > loading.newestSeen) loading.newestSeen = revision;
  }

  #put(taskId: string, { task, tail }: Fold): void {
    this.drop(taskId);
    const place = { older: undefined, newer: undefined };
    const entry: Entry = { taskId, ...place, task, tail: [], tailBytes: 0, bytes: 0 };
    this.#entries.set(taskId, entry);
    this.#recency.add(entry);
    this.#extend(entry, tail);
  }

  #extend(entry: Entry, changes: readonly TaskChange[]): void {
    const tail = [...entry.tail, ...changes];
    entry.task = tail.at(-1)?.task ?? entry.task;
    let bytes = entry.tailBytes + bytesOfEvents(changes);
    let first = 0;
    const left = (): number => tail.length - first;
    while (left() > tailEventsMax || (bytes > tailBytesMax && left() > 1)) {
      bytes -= tail[first]?.event.bytes ?? 0;
      first += 1;
    }
    this.#hold(entry, first > 0 ? tail.slice(first) : tail, bytes);
    this.#recency.use(entry);
    this.#evict();
  }

  /** Another list each time: somebody may have the one before in his hands. */
  #hold(entry: Entry, tail: readonly TaskChange[], tailBytes: number): void {
    entry.tail = tail;
    entry.tailBytes = tailBytes;
    const bytes = bytesOf(entry);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #evict(): void {
    for (let entry = this.#recency.oldest; entry !== undefined; entry = this.#recency.oldest) {
      if (this.#bytes <= this.bytesMax) return;
      this.drop(entry.taskId);
    }
  }
}
