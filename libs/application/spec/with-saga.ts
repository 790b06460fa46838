import { openSaga, type Saga } from '#saga';
import type { EventStore, Position } from '#event-store';
import type {
  CancelInput,
  Ledger,
  LedgerOptions,
  LinkInput,
  OpenTrigger,
  SagaCheckpoint,
  SagaState,
  WrittenCancellation,
} from '../src/index.js';
import { alice, ledgerOn, TickingClock, worker } from './given.js';

class MemorySagaState implements SagaState {
  #checkpoint: SagaCheckpoint | undefined;

  async load(): Promise<SagaCheckpoint | undefined> {
    return this.#checkpoint;
  }

  async save(
    seen: Position | undefined,
    mark: Omit<SagaCheckpoint, 'open'>,
    changes: { readonly opened: readonly OpenTrigger[]; readonly closed: readonly Position[] },
  ): Promise<boolean> {
    if (this.#checkpoint?.position !== seen) return false;
    const closed = new Set(changes.closed);
    const kept = (this.#checkpoint?.open ?? []).filter(({ position }) => !closed.has(position));
    this.#checkpoint = { ...mark, open: [...kept, ...changes.opened] };
    return true;
  }
}

/** A ledger whose cancellations are carried, and short commands of alice and her worker. */
export class CarryingLedger {
  private constructor(
    readonly ledger: Ledger,
    readonly clock: TickingClock,
    private readonly saga: Saga,
  ) {}

  static async on(store: EventStore, options: Partial<LedgerOptions> = {}): Promise<CarryingLedger> {
    const clock = new TickingClock();
    const ledger = await ledgerOn(store, { clock, ...options });
    const saga = openSaga({
      store,
      desk: ledger.cascade,
      state: new MemorySagaState(),
      logId: ledger.logId,
      clock,
      linkPatienceMs: 1,
    });
    saga.start();
    return new CarryingLedger(ledger, clock, saga);
  }

  /** Resolves when every consequence of what was written is written too, or waits for a task. */
  carried(): Promise<void> {
    return this.saga.idle();
  }

  async close(): Promise<void> {
    await this.saga.close();
    await this.ledger.close();
  }

  /** A new task of alice's, under a parent if one is named. */
  async task(parentTaskId?: string, terms: Omit<LinkInput, 'taskId'> = {}): Promise<string> {
    const parent = parentTaskId === undefined ? {} : { parent: { taskId: parentTaskId, ...terms } };
    return (await this.ledger.commands.create(alice, parent)).task.taskId;
  }

  async working(parentTaskId?: string, terms: Omit<LinkInput, 'taskId'> = {}): Promise<string> {
    const taskId = await this.task(parentTaskId, terms);
    await this.ledger.commands.transition(worker, taskId, { to: 'working' });
    return taskId;
  }

  /** Cancelled, and carried to wherever it can be carried now. */
  async cancel(taskId: string, input: CancelInput = {}): Promise<WrittenCancellation> {
    const written = await this.ledger.commands.cancel(alice, taskId, input);
    await this.carried();
    return written;
  }

  async stateOf(taskId: string): Promise<string | undefined> {
    return (await this.ledger.cascade.task(taskId))?.state;
  }
}
