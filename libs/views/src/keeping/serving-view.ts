import { randomUUID } from 'node:crypto';
import { DomainError } from '#domain';
import type { Position } from '#event-store';
import { Waiters } from '../projection/waiters.js';
import type { ViewDatabase } from '../store/index.js';

/** One unbroken run of the tables that serve. */
export interface ServingRun {
  readonly id: string;
  /** Where they stood when it began; absent where the tables themselves know which positions they can show. */
  readonly from?: Position;
}

/** Where several processes read the same tables, the run is the tables' own: each batch of it was seen by all of them. */
export const sharedRun = ({ generation }: Pick<ViewDatabase, 'generation'>): ServingRun => ({
  id: generation,
});

/** Answers reads and waits; which tables answer changes under it when a rebuilt view is swapped in. */
export class ServingView {
  #database: ViewDatabase | undefined;
  #position: Position = '';
  /** The newest position that this process has heard of. */
  #newestKnown: Position = '';
  #caughtUp = false;
  #run: ServingRun = { id: '' };
  #asked: () => void = () => undefined;
  readonly #waiters = new Waiters();

  /** Undefined before the first filling is complete. Not to be kept over an await. */
  get database(): ViewDatabase | undefined {
    return this.#database;
  }

  /** @throws DomainError `unavailable` before the first filling is complete */
  get complete(): ViewDatabase {
    if (this.#database === undefined) throw new DomainError('unavailable', 'the views are being filled');
    return this.#database;
  }

  get position(): Position {
    return this.#position;
  }

  get newestKnown(): Position {
    return this.#newestKnown;
  }

  /**
   * Which positions were ever the end of a batch is known of this run alone: after a restart or a swap the same
   * events may come in other batches, and a moment in the middle of one cannot be shown.
   */
  get run(): ServingRun {
    return this.#run;
  }

  /** Whether the view has once been in step with the log. */
  get ready(): boolean {
    return this.#caughtUp && this.#database !== undefined;
  }

  /** @param run of tables that several processes serve from; by default the run begins here and now */
  serve(
    database: ViewDatabase,
    position: Position,
    run: ServingRun = { id: randomUUID(), from: position },
  ): void {
    this.#database = database;
    this.#run = run;
    this.advanced(position);
  }

  /** Calls `asked` when somebody begins to wait for a position. */
  onWait(asked: () => void): void {
    this.#asked = asked;
  }

  /** The serving tables no longer agree with the log: nothing is answered until others take their place. */
  withdraw(): void {
    this.#database = undefined;
    this.#position = '';
    this.#newestKnown = '';
  }

  advanced(position: Position): void {
    this.#position = position;
    this.note(position);
    this.#waiters.reached(position);
  }

  caughtUp(): void {
    this.#caughtUp = true;
  }

  note(position: Position): void {
    if (position > this.#newestKnown) this.#newestKnown = position;
  }

  get isAwaited(): boolean {
    return !this.#waiters.isEmpty;
  }

  /** Whether the view reached the position in time. Milliseconds. */
  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    if (position <= this.#position) return true;
    const reached = this.#waiters.wait(position, timeoutMs);
    this.#asked();
    return reached;
  }

  end(): void {
    this.#waiters.end();
  }
}
