import {
  decide,
  decideCancellation,
  decideLate,
  evolve,
  evolveCancellation,
  evolveLate,
  rootRevisionOf,
  scopeOfDescendants,
  scopeOfEnd,
  scopeOfRequest,
  type CancellationCommand,
  type CancellationLog,
  type CancellationScope,
  type EventMetadata,
  type EventPlace,
  type LateCommand,
  type LateLog,
  type LinkTerms,
  type RecordedTaskEvent,
  type RequestedBy,
  type Task,
  type TaskCommand,
} from '#domain';
import type { KnownNode, KnownStreams, SweepRecord, SweepWork } from '../known.js';

const metadata: EventMetadata = {
  tenant: 'acme',
  owner: 'alice',
  principal: 'alice',
  role: 'user',
  via: 'ledger-api',
  commandId: 'command',
  $causationId: 'command',
  $correlationId: 'root',
};
const alice: RequestedBy = { principal: 'alice', role: 'user', via: 'ledger-api' };

interface Subject {
  task?: Task;
  late?: LateLog;
  readonly events: RecordedTaskEvent[];
  readonly places: EventPlace[];
  readonly latePlaces: EventPlace[];
}

/** A log in memory: every event is decided, folded and placed by the real code. */
export class Streams {
  readonly #subjects = new Map<string, Subject>();
  readonly #logs = new Map<string, CancellationLog>();
  #second = 0;

  get #at(): string {
    return new Date(Date.UTC(2026, 0, 1, 12) + this.#second * 1_000).toISOString();
  }

  /** A task at work. */
  root(taskId: string): this {
    return this.task(taskId, { type: 'SubmitTask', at: this.#at, taskId, contextId: 'c' }).start(taskId);
  }

  /** A child at work, announced to its parent; beside it where the parent has ended. */
  child(taskId: string, parentTaskId: string, terms: Partial<LinkTerms> = {}): this {
    return this.born(taskId, parentTaskId, terms).announce(taskId).start(taskId);
  }

  /** A child that nobody has announced. */
  born(taskId: string, parentTaskId: string, terms: Partial<LinkTerms> = {}): this {
    const parentTask = this.fold(parentTaskId);
    const parent = { taskId: parentTaskId, ...terms };
    return this.task(taskId, {
      type: 'SubmitTask',
      at: this.#at,
      taskId,
      contextId: 'c',
      parent,
      parentTask,
    });
  }

  announce(taskId: string): this {
    const { taskId: parentTaskId, ...terms } = this.fold(taskId).parent ?? { taskId: '', ...linkTerms };
    const child = { ...terms, taskId };
    if (this.fold(parentTaskId).end === undefined)
      return this.task(parentTaskId, { type: 'LinkChild', at: this.#at, child });
    return this.late(parentTaskId, { type: 'LinkLateChild', at: this.#at, parentTaskId, child });
  }

  start(taskId: string): this {
    return this.fold(taskId).end === undefined
      ? this.task(taskId, { type: 'ChangeState', at: this.#at, to: 'working' })
      : this;
  }

  complete(taskId: string): this {
    return this.task(taskId, { type: 'ChangeState', at: this.#at, to: 'completed' });
  }

  decline(taskId: string): this {
    return this.task(taskId, { type: 'DeclineCancellation', at: this.#at });
  }

  /** A cancel that is asked for a task, and its scope. */
  cancel(rootTaskId: string, cancellationId: string, more: object = {}): CancellationScope {
    const command = {
      type: 'CancelTask',
      at: this.#at,
      cancellationId,
      requestedBy: alice,
      ...more,
    } as const;
    this.task(rootTaskId, command);
    const { events, places } = this.#subject(rootTaskId);
    const revision = rootRevisionOf(this.fold(rootTaskId), cancellationId) ?? -1;
    const event = events[revision];
    const place = places[revision];
    const isRootEvent = event?.type === 'TaskCanceled' || event?.type === 'CancellationRequested';
    if (!isRootEvent || place === undefined) throw new Error('no root event');
    return scopeOfRequest(rootTaskId, event.data, place);
  }

  cancelDescendants(rootTaskId: string, cancellationId: string): CancellationScope {
    this.#second += 1;
    const place = this.#place(`opening of ${cancellationId}`);
    const command = this.#opening(rootTaskId, cancellationId, true);
    const [opened] = this.certificate(cancellationId, command);
    if (opened?.type !== 'CancellationOpened') throw new Error('nothing was opened');
    return scopeOfDescendants(opened.data, place);
  }

  /** The scope of the answer to a task's end. */
  answer(rootTaskId: string): CancellationScope {
    const task = this.fold(rootTaskId);
    const place = this.#subject(rootTaskId).places[task.end?.revision ?? -1];
    if (place === undefined) throw new Error('no end');
    return scopeOfEnd(task, `end-${rootTaskId}`, place);
  }

  task(taskId: string, command: TaskCommand): this {
    const subject = this.#subject(taskId);
    for (const event of decide(command, subject.task)) {
      this.#second += 1;
      const revision = subject.events.length;
      const place = this.#place(`${taskId}@${String(revision)}`);
      const recorded = { ...event, revision, id: place.eventId, metadata, bytes: 0 };
      subject.events.push(recorded);
      subject.places.push(place);
      subject.task = evolve(subject.task, recorded);
    }
    return this;
  }

  late(taskId: string, command: LateCommand): this {
    const subject = this.#subject(taskId);
    for (const event of decideLate(command, subject.late)) {
      this.#second += 1;
      const place = this.#place(`late-${taskId}@${String(subject.latePlaces.length)}`);
      const recorded = {
        ...event,
        revision: subject.latePlaces.length,
        id: place.eventId,
        metadata,
        bytes: 0,
      };
      subject.latePlaces.push(place);
      subject.late = evolveLate(subject.late, recorded);
    }
    return this;
  }

  certificate(cancellationId: string, command: CancellationCommand) {
    const events = decideCancellation(command, this.#logs.get(cancellationId));
    for (const event of events) {
      const before = this.#logs.get(cancellationId);
      const revision = (before?.revision ?? -1) + 1;
      const id = `${cancellationId}@${String(revision)}`;
      const log = evolveCancellation(before, { ...event, revision, id, metadata, bytes: 0 });
      if (log !== undefined) this.#logs.set(cancellationId, log);
    }
    return events;
  }

  fold(taskId: string): Task {
    const { task } = this.#subject(taskId);
    if (task === undefined) throw new Error(`no task ${taskId}`);
    return task;
  }

  log(cancellationId: string): CancellationLog | undefined {
    return this.#logs.get(cancellationId);
  }

  known(taskId: string): KnownNode {
    const { task, late, places, latePlaces } = this.#subject(taskId);
    return {
      task,
      late,
      placeOf: (revision) => places[revision],
      latePlaceOf: (revision) => latePlaces[revision],
    };
  }

  streams(cancellationId: string): KnownStreams {
    return { log: this.log(cancellationId), node: (taskId) => this.known(taskId) };
  }

  /** Carries a cancellation on, as the ledger does. */
  carry(scope: CancellationScope, { taskId, arrival }: Extract<SweepWork, { kind: 'carry' }>): this {
    const { cancellationId, request } = scope;
    if (scope.kind === 'parentEnd')
      return this.task(taskId, { type: 'StopOrphan', at: this.#at, cancellationId });
    const manner = arrival.link?.child.policy === 'cooperative' ? 'cooperative' : 'immediate';
    return this.task(taskId, { type: 'CarryCancellation', at: this.#at, cancellationId, manner, request });
  }

  record({ cancellationId, rootTaskId }: CancellationScope, record: SweepRecord): void {
    const at = this.#at;
    switch (record.kind) {
      case 'note':
        this.late(rootTaskId, { type: 'NoteDescendantsCancellation', at, cancellationId });
        return;
      case 'open':
        this.certificate(cancellationId, this.#opening(rootTaskId, cancellationId, false));
        return;
      case 'await':
        this.certificate(cancellationId, { type: 'AwaitNode', at, node: record.node });
        return;
      case 'settle-nodes':
        this.certificate(cancellationId, { type: 'SettleNodes', at, nodes: record.nodes });
        return;
      case 'settle':
        this.certificate(cancellationId, { type: 'SettleCancellation', at, whole: record.whole });
    }
  }

  #opening(rootTaskId: string, cancellationId: string, descendantsOnly: boolean) {
    const at = this.#at;
    const request = { mode: 'immediate', cascade: true, requestedBy: alice } as const;
    return {
      type: 'OpenCancellation',
      at,
      cancellationId,
      rootTaskId,
      requestedAt: at,
      request,
      descendantsOnly,
    } as const;
  }

  #place(eventId: string): EventPlace {
    return { position: String(this.#second).padStart(12, '0'), eventId, at: this.#at };
  }

  #subject(taskId: string): Subject {
    const found = this.#subjects.get(taskId);
    if (found !== undefined) return found;
    const subject: Subject = { events: [], places: [], latePlaces: [] };
    this.#subjects.set(taskId, subject);
    return subject;
  }
}

const linkTerms: LinkTerms = { policy: 'cascade', onEnd: 'abandon' };
