import type { CancellationScope, EventPlace } from '#domain';
import { cancellationsOf, placedRootsOf, tasksOf, type Configuration } from './configuration.js';
import type { Meaning } from './meaning.js';
import type { Duty } from './moves.js';
import { problemsOf } from './problems.js';
import type { Rules } from './rules.js';
import {
  codeOf,
  headAt,
  Streams,
  type AnyHead,
  type CancellationHead,
  type LateHead,
  type TaskHead,
} from './streams.js';

/** What is worked out once of the tasks, whatever the certificates say: for all the worlds that share them. */
interface Ground {
  readonly scopes: Map<number, CancellationScope | undefined>;
  /** By the head of the certificate. */
  readonly duties: Map<number, Duty>;
}

/** What is worked out of a world once, for all the states that hold it. */
interface Known {
  /** The world after one event, by its head. */
  readonly next: Map<number, World>;
  /** What reading an event brings, and what is wrong with it, by its head. */
  readonly read: Map<number, { readonly meaning: Meaning; readonly problem: string | undefined }>;
  quiet?: readonly string[];
}

/**
 * The whole log as far as anybody can tell from it: the streams, and the order of those events whose places count.
 * Logs that differ in nothing else are one world.
 */
export interface World {
  readonly id: number;
  readonly tasks: readonly TaskHead[];
  readonly lates: readonly LateHead[];
  readonly cancellations: readonly CancellationHead[];
  /** Ids of heads. */
  readonly order: readonly number[];
  /** Broken promises that every state is held to. */
  readonly problems: readonly string[];
  readonly ground: Ground;
  readonly known: Known;
}

export const taskIdOf = (task: number): string => `t${String(task)}`;
export const taskOf = (taskId: string): number => Number(taskId.slice(1));

const replaced = <Item>(items: readonly Item[], index: number, item: Item): readonly Item[] => {
  const copy = items.slice();
  copy[index] = item;
  return copy;
};

/** All worlds that a configuration can lead to. */
export class Worlds {
  readonly streams: Streams;
  readonly tasks: number;
  /** Ids of cancellations: those that are asked for, then for each task the one that answers its end. */
  readonly cancellationIds: readonly string[];
  readonly empty: World;
  readonly #worlds = new Map<string, World>();
  readonly #grounds = new Map<string, Ground>();
  readonly #placedRoots: ReadonlySet<number>;

  constructor(
    readonly configuration: Configuration,
    readonly rules: Rules,
  ) {
    this.streams = new Streams(rules);
    this.tasks = tasksOf(configuration);
    this.#placedRoots = placedRootsOf(configuration);
    const all = Array.from({ length: this.tasks }, (_, task) => task);
    this.cancellationIds = [
      ...cancellationsOf(configuration),
      ...all.map((task) => this.endId(taskIdOf(task))),
    ];
    this.empty = this.#intern(
      all.map((task) => this.streams.empty('task', task)),
      all.map((task) => this.streams.empty('late', task)),
      this.cancellationIds.map((_, index) => this.streams.empty('cancellation', index)),
      [],
    );
  }

  get count(): number {
    return this.#worlds.size;
  }

  /** Of the cancellation with which the ledger answers a task's end. */
  endId(taskId: string): string {
    return `end-${taskId}`;
  }

  cancellation(cancellationId: string): number {
    const index = this.cancellationIds.indexOf(cancellationId);
    if (index < 0) throw new Error(`nobody asked for ${cancellationId}`);
    return index;
  }

  /** One append, of the events that end in these heads. */
  after(world: World, heads: readonly AnyHead[]): World {
    let next = world;
    for (const head of heads) next = this.#afterOne(next, head);
    return next;
  }

  #afterOne(world: World, head: AnyHead): World {
    const known = world.known.next.get(head.id);
    if (known !== undefined) return known;
    const next = this.#appended(world, head);
    world.known.next.set(head.id, next);
    return next;
  }

  #appended(world: World, head: AnyHead): World {
    const { tasks, lates, cancellations } = world;
    const order = this.#isPlaced(head) ? [...world.order, head.id] : world.order;
    const problems = problemsOf(this, world, head);
    switch (head.kind) {
      case 'task':
        return this.#intern(replaced(tasks, head.index, head), lates, cancellations, order, problems);
      case 'late':
        return this.#intern(tasks, replaced(lates, head.index, head), cancellations, order, problems);
      case 'cancellation':
        return this.#intern(tasks, lates, replaced(cancellations, head.index, head), order, problems);
    }
  }

  #intern(
    tasks: readonly TaskHead[],
    lates: readonly LateHead[],
    cancellations: readonly CancellationHead[],
    order: readonly number[],
    problems: readonly string[] = [],
  ): World {
    let below = problems.join();
    for (const { id } of tasks) below += codeOf(id);
    for (const { id } of lates) below += codeOf(id);
    for (const id of order) below += codeOf(id);
    let key = below;
    for (const { id } of cancellations) key += codeOf(id);
    const found = this.#worlds.get(key);
    if (found !== undefined) return found;
    const ground = this.#groundOf(below);
    const known: Known = { next: new Map(), read: new Map() };
    const id = this.#worlds.size;
    const world: World = { id, tasks, lates, cancellations, order, problems, ground, known };
    this.#worlds.set(key, world);
    return world;
  }

  #groundOf(key: string): Ground {
    const found = this.#grounds.get(key);
    if (found !== undefined) return found;
    const ground: Ground = { scopes: new Map(), duties: new Map() };
    this.#grounds.set(key, ground);
    return ground;
  }

  /**
   * Of an event whose place in the log may be asked for: it begins a cancellation, ends a task that none ended or that
   * was asked, or links a child to the root of a cancellation of the descendants only.
   */
  #isPlaced(head: AnyHead): boolean {
    const { event } = head;
    switch (head.kind) {
      case 'late':
        return event?.type === 'LateChildLinked' && this.#placedRoots.has(head.index);
      case 'cancellation':
        return head.event?.type === 'CancellationOpened' && head.event.data.descendantsOnly;
      case 'task':
        return this.#isPlacedOfTask(head);
    }
  }

  #isPlacedOfTask({ event, fold, revision, index }: TaskHead): boolean {
    if (event?.type === 'ChildLinked') return this.#placedRoots.has(index);
    if (fold === undefined) return false;
    if (event?.type === 'CancellationRequested')
      return this.rules.rootRevisionOf(fold, event.data.cancellationId) === revision;
    const { end } = fold;
    if (end?.revision !== revision) return false;
    const isAnswered = end.cancellationId === undefined || this.rules.answerToEnd(fold) === 'own';
    return isAnswered || end.root || fold.requests.length > 0;
  }

  place(world: World, head: AnyHead, revision: number): EventPlace {
    const at = headAt<typeof head.kind, unknown, unknown>(head, revision);
    const event = at?.event as AnyHead['event'];
    const index = world.order.indexOf(at?.id ?? -1);
    if (event === undefined || index < 0)
      throw new Error(`no place is kept of ${head.kind}-${String(head.index)}@${String(revision)}`);
    return { position: String.fromCharCode(64 + index), eventId: event.id, at: event.data.at };
  }
}
