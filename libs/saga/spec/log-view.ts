import { decodeEvent } from '#application';
import {
  evolve,
  evolveCancellation,
  evolveLate,
  factsOf,
  nodeOf,
  rootRevisionOf,
  scopeOfDescendants,
  scopeOfEnd,
  scopeOfRequest,
  type CancellationLog,
  type CancellationScope,
  type EventPlace,
  type LateLog,
  type NodeFact,
  type Task,
} from '#domain';
import type { EventStore, RecordedEvent } from '#event-store';
import { sweep, type KnownNode } from '../src/index.js';

const namespace = 'ledger';

/** Everything that stands in a log, folded once from its start by nobody but the test. */
export class LogView {
  readonly tasks = new Map<string, Task>();
  readonly lates = new Map<string, LateLog>();
  readonly cancellations = new Map<string, CancellationLog>();
  readonly scopes = new Map<string, CancellationScope>();
  /** By stream and revision. */
  readonly #places = new Map<string, EventPlace>();
  readonly events: readonly RecordedEvent[];

  private constructor(events: readonly RecordedEvent[]) {
    this.events = events;
    for (const recorded of events) this.#fold(recorded);
  }

  static async of(store: EventStore): Promise<LogView> {
    const events: RecordedEvent[] = [];
    for (let from: string | undefined; ;) {
      const page = await store.readAll({ limit: 4_096, prefix: `${namespace}.`, ...(from && { from }) });
      events.push(...page.filter(({ position }) => from === undefined || position > from));
      if (page.length < 4_096) return new LogView(events);
      from = page.at(-1)?.position;
    }
  }

  task(taskId: string): Task {
    const task = this.tasks.get(taskId);
    if (task === undefined) throw new Error(`there is no task ${taskId}`);
    return task;
  }

  cancellation(cancellationId: string): CancellationLog {
    const log = this.cancellations.get(cancellationId);
    if (log === undefined) throw new Error(`there is no cancellation ${cancellationId}`);
    return log;
  }

  /** Outcome of every line, by task. */
  outcomes(cancellationId: string): Readonly<Record<string, string>> {
    const facts = factsOf(this.cancellation(cancellationId).nodes);
    return Object.fromEntries(
      facts.map(([taskId, fact]) => [taskId, fact.kind === 'waiting' ? 'waiting' : fact.node.outcome]),
    );
  }

  /** The certificate but for what differs between two runs: times, tries, ids. */
  lines(cancellationId: string): readonly object[] {
    return factsOf(this.cancellation(cancellationId).nodes)
      .map(([, fact]) => plainLine(fact))
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }

  /** Types of a cancellation's own events, in order. */
  typesOf(cancellationId: string): readonly string[] {
    const stream = `${namespace}.cancellation-${cancellationId}`;
    return this.events.filter((event) => event.stream === stream).map(({ type }) => type);
  }

  metadataOfEnd(taskId: string): unknown {
    const id = this.task(taskId).end?.eventId;
    return JSON.parse(this.events.find((event) => event.id === id)?.metadata ?? 'null') as unknown;
  }

  children(taskId: string): readonly string[] {
    const own = factsOf(this.task(taskId).children);
    const late = factsOf(this.lates.get(taskId)?.children ?? []);
    return [...own, ...late].map(([childTaskId]) => childTaskId);
  }

  /** What a cancellation would still append, and the lines that it would write if none stood. */
  due(scope: CancellationScope) {
    const log = this.cancellations.get(scope.cancellationId);
    const node = (taskId: string): KnownNode => this.#known(taskId);
    const { carry, records, waits } = sweep(scope, { log, node });
    const bare = log && { ...log, nodes: [], nodeCount: 0, waitingCount: 0, status: 'running' as const };
    const lines = sweep(scope, { log: bare, node }).records.flatMap((record) =>
      record.kind === 'settle-nodes' ? record.nodes : [],
    );
    return { appends: [...carry, ...records], waits, lines };
  }

  line(cancellationId: string, taskId: string): NodeFact | undefined {
    return nodeOf(this.cancellation(cancellationId), taskId);
  }

  #known(taskId: string): KnownNode {
    const at = (kind: string) => (revision: number) =>
      this.#places.get(`${namespace}.${kind}-${taskId}@${String(revision)}`);
    return {
      task: this.tasks.get(taskId),
      late: this.lates.get(taskId),
      placeOf: at('task'),
      latePlaceOf: at('late'),
    };
  }

  #fold(recorded: RecordedEvent): void {
    const decoded = decodeEvent(recorded, namespace);
    if (decoded.kind === 'log') return;
    if (decoded.kind === 'unreadable') throw new Error(decoded.error);
    const place = { position: recorded.position, eventId: recorded.id, at: decoded.event.data.at };
    this.#places.set(`${recorded.stream}@${String(recorded.revision)}`, place);
    switch (decoded.kind) {
      case 'task':
        return this.#foldTask(decoded.taskId, decoded.event, place);
      case 'late':
        this.lates.set(decoded.taskId, evolveLate(this.lates.get(decoded.taskId), decoded.event));
        return;
      case 'cancellation':
        return this.#foldCancellation(decoded.cancellationId, decoded.event, place);
    }
  }

  #foldTask(taskId: string, event: Parameters<typeof evolve>[1], place: EventPlace): void {
    const before = this.tasks.get(taskId);
    if (before?.end !== undefined) throw new Error(`${event.type} stands after the end of ${taskId}`);
    const task = evolve(before, event);
    this.tasks.set(taskId, task);
    if (event.type !== 'TaskCanceled' && event.type !== 'CancellationRequested') return;
    const { cancellationId } = event.data;
    if (rootRevisionOf(task, cancellationId) === event.revision)
      this.scopes.set(cancellationId, scopeOfRequest(taskId, event.data, place));
  }

  #foldCancellation(
    cancellationId: string,
    event: Parameters<typeof evolveCancellation>[1],
    place: EventPlace,
  ): void {
    const log = evolveCancellation(this.cancellations.get(cancellationId), event);
    if (log !== undefined) this.cancellations.set(cancellationId, log);
    if (event.type !== 'CancellationOpened') return;
    const { rootTaskId, descendantsOnly, parentEnded } = event.data;
    if (descendantsOnly) this.scopes.set(cancellationId, scopeOfDescendants(event.data, place));
    const root = this.tasks.get(rootTaskId);
    const end = root?.end && this.#places.get(`${namespace}.task-${rootTaskId}@${String(root.end.revision)}`);
    if (parentEnded === true && root !== undefined && end !== undefined)
      this.scopes.set(cancellationId, scopeOfEnd(root, cancellationId, end));
  }
}

const plainLine = (fact: NodeFact): object => {
  const { reachedAt: _reachedAt, ...place } = fact.node;
  if (fact.kind === 'waiting') return { kind: 'waiting', taskId: place.taskId };
  const { settledAt: _settledAt, attempts: _attempts, ...line } = fact.node;
  return { ...line, reachedAt: undefined };
};
