import type { CancellationScope } from '#domain';
import type { SagaMetrics } from '../telemetry.js';
import type { Busy } from '../work/busy.js';
import { textOf } from '../work/calls.js';
import { StoppedError } from '../work/stopped-error.js';
import { Cascade, type CascadeEnd, type CascadeParts, type Wanted } from './cascade.js';

/** Cancellations that are swept at once; the others wait for their turn. */
export const cascadesAtOnce = 64;

export interface CascadesParts extends Omit<CascadeParts, 'waits' | 'settled'> {
  readonly busy: Busy;
  readonly metrics: SagaMetrics;
  readonly now: () => number;
}

/** A cancellation, whoever waits for its end, and whether it has its turn. */
interface Entry {
  readonly cascade: Cascade;
  readonly ends: ((end: CascadeEnd) => void)[];
  state: 'queued' | 'active' | 'waits';
}

/** The cancellations that are not settled, and the tasks that they wait for. */
export class Cascades {
  readonly #entries = new Map<string, Entry>();
  readonly #waitingFor = new Map<string, Set<Entry>>();
  readonly #queue: Entry[] = [];
  #active = 0;

  constructor(private readonly parts: CascadesParts) {}

  /** Resolves when the certificate is settled, or nothing is due; never, where the saga stops before. */
  join(scope: CancellationScope, wanted: Wanted): Promise<CascadeEnd> {
    const entry = this.#entries.get(scope.cancellationId) ?? this.#enter(scope);
    // Before the first await: what is being done now does not end without this.
    entry.cascade.want(wanted);
    this.parts.busy.add(entry.state === 'waits' ? 0 : 1);
    return new Promise((resolve) => {
      entry.ends.push(resolve);
      this.#wake(entry);
    });
  }

  /** A task ended or declined: whoever waits for it goes on. */
  ended(taskId: string, revision: number): void {
    for (const entry of this.#waitingFor.get(taskId) ?? []) {
      entry.cascade.look(taskId, revision);
      this.#wake(entry);
    }
  }

  #enter(scope: CancellationScope): Entry {
    const cascade = new Cascade(scope, {
      ...this.parts,
      waits: (taskId) => this.#waits(taskId, entry),
      settled: (taskId) => this.#forget(taskId, entry),
    });
    const entry: Entry = { cascade, ends: [], state: 'queued' };
    this.#entries.set(scope.cancellationId, entry);
    this.#queue.push(entry);
    return entry;
  }

  #waits(taskId: string, entry: Entry): void {
    const entries = this.#waitingFor.get(taskId);
    if (entries === undefined) this.#waitingFor.set(taskId, new Set([entry]));
    else entries.add(entry);
  }

  #forget(taskId: string, entry: Entry): void {
    const entries = this.#waitingFor.get(taskId);
    entries?.delete(entry);
    if (entries?.size === 0) this.#waitingFor.delete(taskId);
  }

  #wake(entry: Entry): void {
    if (entry.state === 'waits') {
      entry.state = 'queued';
      this.parts.busy.add(entry.ends.length);
      this.#queue.push(entry);
    }
    this.#next();
  }

  #next(): void {
    while (this.#active < cascadesAtOnce) {
      const entry = this.#queue.shift();
      if (entry === undefined) return;
      this.#active += 1;
      entry.state = 'active';
      void this.#work(entry).finally(() => {
        this.#active -= 1;
        this.#next();
      });
    }
  }

  async #work(entry: Entry): Promise<void> {
    const { cascade } = entry;
    try {
      const end = await cascade.work();
      // Asked now, for more may have come while the answer was on its way.
      if (cascade.hasWork) this.#again(entry);
      else if (end !== undefined) this.#end(entry, end);
      else this.#park(entry);
    } catch (error) {
      this.#fail(entry, error);
    }
  }

  #again(entry: Entry): void {
    entry.state = 'queued';
    this.#queue.push(entry);
  }

  #park(entry: Entry): void {
    entry.state = 'waits';
    entry.cascade.rest();
    this.parts.busy.add(-entry.ends.length);
  }

  #end(entry: Entry, end: CascadeEnd): void {
    const { scope } = entry.cascade;
    this.#entries.delete(scope.cancellationId);
    this.parts.metrics.settled(this.parts.now() - Date.parse(scope.begin.at));
    for (const resolve of entry.ends) resolve(end);
    this.parts.busy.add(-entry.ends.length);
  }

  /** A defect, for every failure of a call is tried again: the next start begins anew. */
  #fail(entry: Entry, error: unknown): void {
    if (error instanceof StoppedError) return;
    const { cancellationId } = entry.cascade.scope;
    this.parts.logger.error({ cancellationId, error: textOf(error) }, 'a cancellation cannot be completed');
    for (const taskId of [...this.#waitingFor.keys()]) this.#forget(taskId, entry);
    this.#end(entry, 'kept');
  }
}
