import {
  arrivalsBelow,
  carriedBy,
  linksBefore,
  linksBelow,
  rootArrival,
  visit,
  type Arrival,
  type CancellationScope,
  type LinkBelow,
  type NodePlace,
  type SettledNode,
  type VerdictLine,
  type WaitingNode,
} from '#domain';
import type { KnownNode, SweepWork } from './known.js';

/** Lines of one append to the certificate. */
export const linesMax = 256;

/** A task that the sweep has come to and not left. */
interface Visited {
  readonly arrival: Arrival;
  /** Its work is queued, is being done, or there is none before the task changes. */
  at: 'queued' | 'taken' | 'waiting';
  /** Times that the task was carried on, or tried to be. */
  attempts: number;
  /** Its waiting line, as it was given out. */
  awaited?: WaitingNode;
}

/** The rules a sweep goes by: those of the domain, unless a test takes one away. */
export interface SweepRules {
  readonly visit: typeof visit;
  readonly linksBelow: typeof linksBelow;
  readonly linksBefore: typeof linksBefore;
}
export const designRules: SweepRules = { visit, linksBelow, linksBefore };

/**
 * One cancellation on its way down the links: what to read and to write next, from what was told of the streams. Pure
 * and iterative; holds the tasks it has entered and the lines that were not taken, nothing of the tasks themselves.
 *
 * What it gives out may be done in any order, but nothing is written before the certificate is open, and that one only
 * where the sweep {@link opens}.
 */
export class Sweep {
  readonly #entered = new Set<string>();
  readonly #ready: SweepWork[] = [];
  readonly #open = new Map<string, Visited>();
  readonly #waiting = new Map<string, WaitingNode>();
  readonly #settled: SettledNode[] = [];
  readonly #awaited: WaitingNode[] = [];
  /** The next task on the path, by the one before it. */
  readonly #next: ReadonlyMap<string, string>;
  #opens: boolean;

  /**
   * @param path task ids from the root to one task: of a node on it only the link to the next one is followed, below
   *   its last one everything is. Empty: everything, which a certificate needs that was never settled.
   */
  constructor(
    readonly scope: CancellationScope,
    path: readonly string[] = [],
    private readonly rules: SweepRules = designRules,
  ) {
    this.#next = new Map(path.slice(1).map((taskId, index) => [path[index] ?? '', taskId]));
    this.#opens = scope.kind !== 'parentEnd';
    this.#enter(rootArrival(scope));
  }

  /** Nothing is left to read or to carry on; some tasks may be waited for. */
  get idle(): boolean {
    return this.#open.size === this.#waiting.size;
  }

  /**
   * Whether there is a certificate to open. A request's at once. The ledger answers a task's end only where somebody
   * lives who is to end with it: while it is not open, and `opens` is not true, its lines mean nothing.
   */
  get opens(): boolean {
    return this.#opens;
  }

  /** Tasks that are waited for: told again when they have ended or declined, the sweep goes on below them. */
  get waiting(): ReadonlyMap<string, WaitingNode> {
    return this.#waiting;
  }

  /** Work that can be done now, at most `limit` pieces; each is answered by {@link tell}. */
  take(limit: number): readonly SweepWork[] {
    const work = this.#ready.splice(Math.max(0, this.#ready.length - limit));
    for (const { taskId } of work) {
      const visited = this.#open.get(taskId);
      if (visited !== undefined) visited.at = 'taken';
    }
    return work;
  }

  /** What was found of a task whose work was taken, or that is waited for; of any other it is not needed. */
  tell(taskId: string, known: KnownNode): void {
    const visited = this.#open.get(taskId);
    if (visited === undefined || visited.at === 'queued') return;
    this.#waiting.delete(taskId);
    const isNoNode = this.scope.kind === 'descendants' && visited.arrival.link === undefined;
    if (isNoNode) this.#beginBelow(visited, known);
    else this.#judge(visited, known);
  }

  /** Lines that are final and not yet taken, at most {@link linesMax}. */
  takeSettled(): readonly SettledNode[] {
    return this.#settled.splice(0, linesMax);
  }

  /** Lines of tasks that are waited for and not yet taken; a task that is waited for again has none a second time. */
  takeAwaited(): readonly WaitingNode[] {
    return this.#awaited.splice(0);
  }

  /**
   * Drops what is remembered of the tasks that were left: a sweep that only waits holds what it waits for, and nothing
   * else. A task has one owning parent, so it is not come to twice.
   */
  forget(): void {
    this.#entered.clear();
    for (const taskId of this.#open.keys()) this.#entered.add(taskId);
  }

  #enter(arrival: Arrival): void {
    const { taskId } = arrival;
    if (this.#entered.has(taskId)) return;
    this.#entered.add(taskId);
    const visited: Visited = { arrival, at: 'queued', attempts: 0 };
    this.#open.set(taskId, visited);
    this.#queue(visited, { kind: 'read', taskId });
  }

  #queue(visited: Visited, work: SweepWork): void {
    visited.at = 'queued';
    this.#ready.push(work);
  }

  #place(visited: Visited, revision: number, late: boolean): void {
    const { taskId } = visited.arrival;
    const [revisions, lateRevisions] = late ? [[], [revision]] : [[revision], []];
    this.#queue(visited, { kind: 'places', taskId, revisions, lateRevisions });
  }

  #judge(visited: Visited, known: KnownNode): void {
    const { arrival } = visited;
    if (known.task === undefined) {
      this.#settle(visited, missing(arrival));
      return;
    }
    const verdict = this.rules.visit(this.scope, arrival, known.task, known.placeOf);
    switch (verdict.kind) {
      case 'act':
        this.#carry(visited);
        return;
      case 'place':
        this.#place(visited, verdict.revision, false);
        return;
      case 'wait':
        this.#wait(visited, verdict.dueAt);
        return;
      case 'settled':
        // An unreadable child may live: the certificate is to name it as a survivor.
        if (verdict.line.outcome === 'unreachable') this.#opens = true;
        this.#settle(visited, verdict.line);
        if (verdict.below !== undefined) this.#goBelow(arrival, this.#links(known), verdict.below);
    }
  }

  #carry(visited: Visited): void {
    const { arrival } = visited;
    this.#opens = true;
    visited.attempts += 1;
    this.#queue(visited, { kind: 'carry', taskId: arrival.taskId, arrival });
  }

  #wait(visited: Visited, dueAt: string | undefined): void {
    const node = { ...nodePlace(this.scope, visited.arrival), ...(dueAt !== undefined && { dueAt }) };
    visited.at = 'waiting';
    this.#waiting.set(node.taskId, node);
    if (visited.awaited === undefined) this.#awaited.push(node);
    visited.awaited ??= node;
  }

  #settle({ arrival, attempts }: Visited, line: VerdictLine): void {
    this.#open.delete(arrival.taskId);
    this.#settled.push(
      Object.assign(nodePlace(this.scope, arrival), line, { attempts: Math.max(1, attempts) }),
    );
  }

  #goBelow({ depth }: Arrival, links: readonly LinkBelow[], below: Pick<Arrival, 'reach' | 'cause'>): void {
    for (const arrival of arrivalsBelow(links, depth, below)) this.#enter(arrival);
  }

  /** The links that are followed from a task. */
  #links({ task, late }: KnownNode): readonly LinkBelow[] {
    if (task === undefined) return [];
    const links = this.rules.linksBelow(task, late);
    const next = this.#next.get(task.taskId);
    return next === undefined ? links : links.filter(({ taskId }) => taskId === next);
  }

  /** A root that is no node itself: its direct links that stand before the cancellation in the log. */
  #beginBelow(visited: Visited, known: KnownNode): void {
    const { begin } = this.scope;
    const placeOf = { own: known.placeOf, late: known.latePlaceOf };
    const found = this.rules.linksBefore(this.#links(known), begin, placeOf);
    if ('unplaced' in found) {
      this.#place(visited, found.unplaced.child.revision, found.unplaced.late);
      return;
    }
    this.#open.delete(visited.arrival.taskId);
    this.#goBelow(visited.arrival, found.before, { reach: begin, cause: begin });
  }
}

const missing = ({ reach }: Arrival): VerdictLine => ({
  outcome: 'unreachable',
  settledAt: reach.at,
  worker: 'none',
  lastError: 'task-not-found',
});

/** A new object each time. Spread from parts it would cost more than the verdict does, and there are thousands. */
const nodePlace = (scope: CancellationScope, { taskId, depth, link, reach }: Arrival): NodePlace => {
  if (link === undefined) return { taskId, depth, reachedAt: reach.at };
  const { parentTaskId, child, late } = link;
  const place = { taskId, parentTaskId, depth, policy: carriedBy(scope, child), reachedAt: reach.at };
  return late ? { ...place, late } : place;
};
