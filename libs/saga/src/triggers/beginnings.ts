import type { CascadeDesk } from '#application';
import {
  answerToEnd,
  rootRevisionOf,
  scopeOfDescendants,
  scopeOfEnd,
  scopeOfRequest,
  type CancellationScope,
  type Task,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import type { Calls } from '../work/calls.js';
import { placeOf, type Found } from './found.js';
import { decoded } from './meaning.js';

/**
 * What an event begins. `unreadable`: the fold of its task does not come as far as the event, so that nobody can tell;
 * a start that can read the task does. Undefined: nothing.
 */
export type Beginning = CancellationScope | 'unreadable' | undefined;

/** What cancellations begin with, read from the events that they begin with. */
export class Beginnings {
  constructor(
    private readonly calls: Calls,
    private readonly desk: CascadeDesk,
  ) {}

  found(recorded: RecordedEvent): Found {
    return { recorded, decoded: decoded(recorded, this.desk.names) };
  }

  /** Undefined where the event only answers what began before. */
  async ofRoot(recorded: RecordedEvent): Promise<Beginning> {
    const scope = this.#request(this.found(recorded));
    if (scope === undefined) return undefined;
    const { rootTaskId, cancellationId } = scope;
    const task = await this.calls.ask({ call: 'read', taskId: rootTaskId }, () =>
      this.desk.task(rootTaskId, recorded.revision),
    );
    const isRoot = task !== undefined && rootRevisionOf(task, cancellationId) === recorded.revision;
    if (isRoot) return scope;
    return task?.unreadable === undefined ? undefined : 'unreadable';
  }

  /** Of an opening that is itself what the saga has to complete; a request's is completed from its root. */
  async ofOpening(recorded: RecordedEvent): Promise<Beginning> {
    const found = this.found(recorded);
    const { decoded: read } = found;
    if (read.kind !== 'cancellation' || read.event.type !== 'CancellationOpened') return undefined;
    const { descendantsOnly, parentEnded, rootTaskId, cancellationId } = read.event.data;
    if (descendantsOnly) return this.#descendants(found);
    if (parentEnded !== true) return undefined;
    const root = await this.calls.ask({ call: 'read', taskId: rootTaskId }, () => this.desk.task(rootTaskId));
    return root?.unreadable === undefined ? root && this.answerTo(root, cancellationId) : 'unreadable';
  }

  /** The cancellation with which the ledger answers the end of this task. */
  async answerTo(root: Task, cancellationId: string): Promise<CancellationScope | undefined> {
    if (root.end === undefined) return undefined;
    const found = await this.event(this.desk.names.task(root.taskId), root.end.revision);
    return found && scopeOfEnd(root, cancellationId, placeOf(found));
  }

  /** Undefined where the ledger answers nothing: the task was canceled, or no child is to end with it. */
  async ofEnd(recorded: RecordedEvent): Promise<Beginning> {
    const { desk } = this;
    const taskId = desk.names.taskIdOf(recorded.stream);
    if (taskId === undefined) return undefined;
    const task = await this.calls.ask({ call: 'read', taskId }, () => desk.task(taskId, recorded.revision));
    if (task?.unreadable !== undefined) return 'unreadable';
    if (task?.end === undefined || task.endsChildren !== true || answerToEnd(task) !== 'own')
      return undefined;
    const id = desk.parentEndId(taskId, task.end.eventId);
    return scopeOfEnd(task, id, placeOf(this.found(recorded)));
  }

  /** Of the root's own event at this revision. */
  async requestAt(rootTaskId: string, revision: number): Promise<CancellationScope | undefined> {
    const found = await this.event(this.desk.names.task(rootTaskId), revision);
    return found && this.#request(found);
  }

  /** Of a cancellation's own stream. */
  async descendantsOf(cancellationId: string): Promise<CancellationScope | undefined> {
    const found = await this.event(this.desk.names.cancellation(cancellationId), 0);
    return found && this.#descendants(found);
  }

  event(stream: string, revision: number): Promise<Found | undefined> {
    return this.calls.ask({ call: 'event', stream, revision }, () => this.desk.event(stream, revision));
  }

  #request(found: Found): CancellationScope | undefined {
    const { decoded: read } = found;
    if (read.kind !== 'task') return undefined;
    const { event, taskId } = read;
    return event.type === 'TaskCanceled' || event.type === 'CancellationRequested'
      ? scopeOfRequest(taskId, event.data, placeOf(found))
      : undefined;
  }

  #descendants(found: Found): CancellationScope | undefined {
    const { decoded: read } = found;
    return read.kind === 'cancellation' && read.event.type === 'CancellationOpened'
      ? scopeOfDescendants(read.event.data, placeOf(found))
      : undefined;
  }
}
