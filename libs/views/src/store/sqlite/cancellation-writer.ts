import type Database from 'better-sqlite3';
import type { CancellationMove, CancellationRow, EndedTimer, RowBatch, TimerRow } from '../rows.js';
import * as statements from '../statements/cancellations.js';
import { type Change, change } from './queries.js';

type Flags = 'descendantsOnly' | 'parentEnded';
type Stored = Omit<CancellationRow, Flags> & Readonly<Record<Flags, number>>;

/** Writes cancellations and timers. Inside the batch's transaction; most batches have neither. */
export class CancellationWriter {
  readonly #insert: Change<Stored>;
  readonly #moves: Readonly<Record<CancellationMove['to'], Change<CancellationMove>>>;
  readonly #setTimer: Change<TimerRow>;
  readonly #dropTimer: Change<EndedTimer>;

  constructor(database: Database.Database) {
    const { reopened, settled, confirmed, wroteLate } = statements.moveCancellation;
    this.#insert = change(database, statements.insertCancellation);
    this.#moves = {
      reopened: change(database, reopened),
      settled: change(database, settled),
      confirmed: change(database, confirmed),
      wroteLate: change(database, wroteLate),
    };
    this.#setTimer = change(database, statements.setTimer);
    this.#dropTimer = change(database, statements.dropTimer);
  }

  write({ cancellations, cancellationMoves, timers, endedTimers }: RowBatch): void {
    for (const row of cancellations) {
      const { descendantsOnly, parentEnded } = row;
      this.#insert({
        ...row,
        descendantsOnly: Number(descendantsOnly),
        parentEnded: Number(parentEnded),
      });
    }
    for (const move of cancellationMoves) this.#moves[move.to](move);
    for (const ended of endedTimers) this.#dropTimer(ended);
    for (const timer of timers) this.#setTimer(timer);
  }
}
