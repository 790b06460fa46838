import {
  openLedger,
  systemIds,
  type CancelInput,
  type CascadeDesk,
  type Clock,
  type Ledger,
  type LedgerOptions,
  type LinkInput,
} from '#application';
import type { Caller, Task } from '#domain';
import { StoreUnavailableError, type EventStore } from '#event-store';
import { MemoryEventStore, StoreInFront } from '#testing';
import { openSaga, type Saga, type SagaOptions } from '../src/index.js';
import { LogView } from './log-view.js';
import { MemorySagaState } from './memory-saga-state.js';
import { BeforeAppend } from './stores.js';

export const alice: Caller = { tenant: 'acme', principal: 'alice', role: 'user', via: 'ledger-api' };
export const worker: Caller = { tenant: 'acme', principal: 'worker-1', role: 'agent', via: 'ledger-api' };

/** A clock that moves on by a millisecond each time it is asked. */
export class TickingClock implements Clock {
  milliseconds = Date.parse('2026-03-01T12:00:00.000Z');

  now(): number {
    this.milliseconds += 1;
    return this.milliseconds;
  }

  move(milliseconds: number): void {
    this.milliseconds += milliseconds;
  }
}

export type Terms = Omit<LinkInput, 'taskId'>;

export interface Process {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly saga: Saga;
}

/** A store, and the processes that run on it one after the other, or at once. */
export class World {
  readonly state = new MemorySagaState();
  readonly clock = new TickingClock();
  readonly #open = new Set<Process>();

  constructor(readonly store = new MemoryEventStore()) {}

  /** Another world with the same log. */
  async copy(): Promise<World> {
    const store = new MemoryEventStore();
    for (const { stream, revision, id, type, data, metadata } of (await LogView.of(this.store)).events)
      await store.append(stream, [{ id, type, data, metadata }], revision === 0 ? 'none' : revision - 1);
    return new World(store);
  }

  /** A ledger and its saga, following the log. `store`: what stands between them and the log. */
  async start(
    store: EventStore = this.store,
    more: {
      readonly saga?: Partial<SagaOptions>;
      readonly ledger?: Partial<LedgerOptions>;
      readonly started?: boolean;
    } = {},
  ): Promise<Process> {
    const { clock, state } = this;
    const ledger = await openLedger({
      store,
      clock,
      ids: systemIds,
      namespace: 'ledger',
      hotFoldsMiB: 8,
      ...more.ledger,
    });
    const saga = openSaga({
      store,
      desk: ledger.cascade,
      state,
      logId: ledger.logId,
      clock,
      linkPatienceMs: 1,
      ...more.saga,
    });
    const process = { store, ledger, saga };
    this.#open.add(process);
    if (more.started !== false) saga.start();
    return process;
  }

  async stop(process: Process): Promise<void> {
    this.#open.delete(process);
    await process.saga.close();
    await process.ledger.close();
  }

  /** A child whose maker vanished before he announced it; `before`: what happens before he would have. */
  async halfLinked(parentTaskId: string, before: () => Promise<void> = noDeed): Promise<string> {
    const store = new BeforeAppend(this.store, async (stream) => {
      if (!stream.endsWith(parentTaskId)) return;
      await before();
      throw new StoreUnavailableError('the process is gone');
    });
    const process = await this.start(store, { started: false });
    const known = await LogView.of(this.store);
    await expect(new Hands(process.ledger).task(parentTaskId)).rejects.toThrow();
    await this.stop(process);
    const found = [...(await LogView.of(this.store)).tasks.keys()].filter(
      (taskId) => !known.tasks.has(taskId),
    );
    expect(found).toHaveLength(1);
    return found[0] ?? '';
  }

  /** An adoption that has found the parent open, and writes nothing before the answer is called. */
  async heldLink(parentTaskId: string, taskId: string, terms: Terms): Promise<() => Promise<void>> {
    let reached: () => void = noWait;
    let release: () => void = noWait;
    const reaching = new Promise<void>((resolve) => (reached = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const store = new BeforeAppend(this.store, async () => {
      reached();
      await released;
    });
    const process = await this.start(store, { started: false });
    const adopted = new Hands(process.ledger).adopt(parentTaskId, taskId, terms);
    await reaching;
    return async () => {
      release();
      await adopted;
      await this.stop(process);
    };
  }

  /** Appends of a saga that reads the whole log with an empty state. */
  async appendsOfReplay(): Promise<number> {
    const counted = new StoreInFront(this.store);
    const process = await this.start(counted, { saga: { state: new MemorySagaState() } });
    await process.saga.idle();
    await this.stop(process);
    return counted.appends;
  }

  async close(): Promise<void> {
    for (const process of [...this.#open]) await this.stop(process);
    await this.store.close();
  }
}

const noWait = (): void => undefined;
const noDeed = (): Promise<void> => Promise.resolve();

/** Short commands of one ledger. */
export class Hands {
  constructor(readonly ledger: Ledger) {}

  /** A new task, under a parent if one is named. */
  async task(parentTaskId?: string, terms: Terms = {}): Promise<string> {
    const input = parentTaskId === undefined ? {} : { parent: { taskId: parentTaskId, ...terms } };
    return (await this.ledger.commands.create(alice, input)).task.taskId;
  }

  async working(parentTaskId?: string, terms: Terms = {}): Promise<string> {
    const taskId = await this.task(parentTaskId, terms);
    await this.move(taskId, 'working');
    return taskId;
  }

  async move(taskId: string, to: 'working' | 'completed' | 'failed' | 'canceled'): Promise<void> {
    await this.ledger.commands.transition(worker, taskId, { to });
  }

  async say(taskId: string): Promise<void> {
    const message = { messageId: taskId, role: 'ROLE_USER' as const, parts: [{ text: 'go on' }] };
    await this.ledger.commands.recordMessage(alice, taskId, { message });
  }

  async stop(taskId: string): Promise<void> {
    await this.ledger.commands.transition({ ...worker, role: 'operator' }, taskId, {
      to: 'stopped',
      stoppedBy: 'operator',
    });
  }

  async adopt(parentTaskId: string, taskId: string, terms: Terms = {}): Promise<void> {
    await this.ledger.commands.adopt(alice, parentTaskId, { taskId, ...terms });
  }

  async cancel(taskId: string, input: CancelInput = {}): Promise<string> {
    return (await this.ledger.commands.cancel(alice, taskId, input)).cancellationId;
  }

  async decline(taskId: string): Promise<void> {
    await this.ledger.commands.decline(worker, taskId, {}, {});
  }

  async read(taskId: string): Promise<Task> {
    const task = await this.ledger.cascade.task(taskId);
    if (task === undefined) throw new Error(`there is no task ${taskId}`);
    return task;
  }

  async states(...taskIds: readonly string[]): Promise<readonly string[]> {
    return Promise.all(taskIds.map(async (taskId) => (await this.read(taskId)).state));
  }
}

/** A desk that can be changed in one place: a spread would lose the methods of a class. */
export const bound = (desk: CascadeDesk): CascadeDesk => ({
  names: desk.names,
  task: (...given) => desk.task(...given),
  atHand: (taskId) => desk.atHand(taskId),
  late: (...given) => desk.late(...given),
  cancellation: (...given) => desk.cancellation(...given),
  event: (...given) => desk.event(...given),
  carry: (...given) => desk.carry(...given),
  announce: (...given) => desk.announce(...given),
  open: (scope) => desk.open(scope),
  note: (scope) => desk.note(scope),
  record: (...given) => desk.record(...given),
  parentEndId: (...given) => desk.parentEndId(...given),
  fire: (...given) => desk.fire(...given),
});
