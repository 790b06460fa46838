import type Database from 'better-sqlite3';
import type { OpenTrigger, SagaCheckpoint, SagaState } from '#application';
import type { Position } from '#event-store';
import { change, rows } from './queries.js';
import * as statements from '../statements/saga.js';

type Mark = Omit<SagaCheckpoint, 'open'>;
type Changes = Parameters<SagaState['save']>[2];

/** Runs a call on the file; what goes wrong with the file is thrown under its name. */
export type OnFile = <Value>(call: () => Value) => Promise<Value>;

export class SqliteSagaState implements SagaState {
  readonly #checkpoint;
  readonly #begin;
  readonly #move;
  readonly #open;
  readonly #putTrigger;
  readonly #deleteTrigger;
  readonly #load;
  readonly #save;

  constructor(
    database: Database.Database,
    private readonly onFile: OnFile,
  ) {
    this.#checkpoint = rows<object, Mark>(database, statements.checkpoint);
    this.#begin = change<Mark>(database, statements.beginCheckpoint);
    this.#move = change<Mark & { seen: Position }>(database, statements.moveCheckpoint);
    this.#open = rows<object, OpenTrigger>(database, statements.openTriggers);
    this.#putTrigger = change<OpenTrigger>(database, statements.putTrigger);
    this.#deleteTrigger = change<{ position: Position }>(database, statements.deleteTrigger);
    this.#load = database.transaction(() => this.#loadAll());
    this.#save = database.transaction((seen: Position | undefined, mark: Mark, changes: Changes) =>
      this.#saveAll(seen, mark, changes),
    );
  }

  load(): Promise<SagaCheckpoint | undefined> {
    return this.onFile(() => this.#load());
  }

  save(seen: Position | undefined, mark: Mark, changes: Changes): Promise<boolean> {
    // Immediate: one that waits for another writer sees what that one wrote.
    return this.onFile(() => this.#save.immediate(seen, mark, changes));
  }

  #loadAll(): SagaCheckpoint | undefined {
    const mark = this.#checkpoint.get({});
    return mark && { ...mark, open: this.#open.all({}) };
  }

  #saveAll(seen: Position | undefined, { position, eventId, logId }: Mark, changes: Changes): boolean {
    const mark = { position, eventId, logId };
    const moved = seen === undefined ? this.#begin(mark) : this.#move({ ...mark, seen });
    if (moved !== 1) return false;
    for (const closed of changes.closed) this.#deleteTrigger({ position: closed });
    for (const trigger of changes.opened) this.#putTrigger(trigger);
    return true;
  }
}
