import type { CascadeDesk } from '#application';
import {
  carriedBy,
  type Arrival,
  type CancellationScope,
  type EventPlace,
  type LateLog,
  type Task,
} from '#domain';
import { placeOf } from '../triggers/found.js';
import type { Calls } from '../work/calls.js';
import type { KnownNode, SweepWork } from '../sweep/known.js';

/** What was read of one task since a sweep came to it. */
export interface NodeView {
  readonly taskId: string;
  readonly task: Task | undefined;
  readonly late: LateLog | undefined;
  readonly places: ReadonlyMap<number, EventPlace>;
  readonly latePlaces: ReadonlyMap<number, EventPlace>;
}

export const knownOf = ({ task, late, places, latePlaces }: NodeView): KnownNode => ({
  task,
  late,
  placeOf: (revision) => places.get(revision),
  latePlaceOf: (revision) => latePlaces.get(revision),
});

const noPlaces: ReadonlyMap<number, EventPlace> = new Map();

/** Late children are below a task that has ended; the root of `descendants` is asked whatever it is. */
const needsLate = ({ kind, rootTaskId }: CancellationScope, { taskId, end, unreadable }: Task): boolean =>
  end !== undefined || unreadable !== undefined || (kind === 'descendants' && taskId === rootTaskId);

/** Reads tasks for a cancellation, and carries it to them. */
export class Nodes {
  constructor(
    private readonly calls: Calls,
    private readonly desk: CascadeDesk,
    private readonly scope: CancellationScope,
  ) {}

  /** Of a task that is open, where its newest fold is in memory. */
  atHand(taskId: string): NodeView | undefined {
    const task = this.desk.atHand(taskId);
    if (task === undefined || needsLate(this.scope, task)) return undefined;
    return { taskId, task, late: undefined, places: noPlaces, latePlaces: noPlaces };
  }

  /** @param seen a revision that the log has shown */
  async read(taskId: string, seen?: number): Promise<NodeView> {
    const task = await this.calls.ask(this.#subject('read', taskId), () => this.desk.task(taskId, seen));
    return this.#view(taskId, task, noPlaces);
  }

  /** The same with more places. */
  async place(view: NodeView, work: Extract<SweepWork, { kind: 'places' }>): Promise<NodeView> {
    const { names } = this.desk;
    const { taskId, revisions, lateRevisions } = work;
    const [places, latePlaces] = await Promise.all([
      this.#placesIn(names.task(taskId), revisions),
      this.#placesIn(names.late(taskId), lateRevisions),
    ]);
    return {
      ...view,
      places: new Map([...view.places, ...places]),
      latePlaces: new Map([...view.latePlaces, ...latePlaces]),
    };
  }

  /** Tried once. */
  async carry({ taskId, link, cause }: Arrival, known: Task | undefined): Promise<NodeView> {
    const { scope } = this;
    const graceMs = link?.child.graceMs;
    const { task, places } = await this.calls.once(() =>
      this.desk.carry(scope, {
        taskId,
        cooperative: link !== undefined && carriedBy(scope, link.child) === 'cooperative',
        causeId: cause.eventId,
        ...(graceMs !== undefined && { graceMs }),
        ...(known && { known }),
      }),
    );
    const isOwnEnd = task.end !== undefined && places.has(task.end.revision);
    // What comes late after an end of this very moment is told by its own event.
    if (isOwnEnd) return { taskId, task, late: undefined, places, latePlaces: noPlaces };
    return this.#view(taskId, task, places);
  }

  async #view(taskId: string, task: Task | undefined, places: NodeView['places']): Promise<NodeView> {
    const late =
      task && needsLate(this.scope, task)
        ? await this.calls.ask(this.#subject('read beside', taskId), () => this.desk.late(taskId))
        : undefined;
    return { taskId, task, late, places, latePlaces: noPlaces };
  }

  #placesIn(stream: string, revisions: readonly number[]): Promise<(readonly [number, EventPlace])[]> {
    return Promise.all(
      revisions.map((revision) =>
        this.calls.ask({ ...this.#subject('place'), stream, revision }, async () => {
          const found = await this.desk.event(stream, revision);
          if (found === undefined) throw new Error('the event is not in the log');
          return [revision, placeOf(found)] as const;
        }),
      ),
    );
  }

  #subject(call: string, taskId?: string) {
    const { cancellationId } = this.scope;
    return { call, cancellationId, ...(taskId !== undefined && { taskId }) };
  }
}
