import type { CancellationMove, RowBatch } from '../rows.js';
import * as statements from '../statements/cancellations.js';
import type { Queryable } from './connections.js';
import type { Tables } from './tables.js';

/** Writes cancellations and timers. Inside the batch's transaction; most batches have neither. */
export class CancellationWriter {
  constructor(private readonly tables: Tables) {}

  async write(on: Queryable, batch: RowBatch): Promise<void> {
    const { cancellations, cancellationMoves, timers, endedTimers } = batch;
    const rows = cancellations.map((row) => ({
      ...row,
      descendantsOnly: Number(row.descendantsOnly),
      parentEnded: Number(row.parentEnded),
    }));
    await this.tables.changeEach(on, statements.insertCancellation, rows);
    for (const round of roundsOf(cancellationMoves)) await this.#move(on, round);
    await this.tables.changeEach(on, statements.dropTimer, endedTimers);
    await this.tables.changeEach(on, statements.setTimer, timers);
  }

  /** At most one move of every cancellation. */
  async #move(on: Queryable, round: readonly CancellationMove[]): Promise<void> {
    for (const to of ['reopened', 'settled', 'confirmed', 'wroteLate'] as const)
      await this.tables.changeEach(
        on,
        statements.moveCancellation[to],
        round.filter((move) => move.to === to),
      );
  }
}

/**
 * The first move of every cancellation, then the second one of every one that has two, and so on. A cascade brings
 * hundreds of lines, each of which reopens what is open already: of those in a row the first one is enough.
 */
const roundsOf = (moves: readonly CancellationMove[]): readonly (readonly CancellationMove[])[] => {
  const rounds: CancellationMove[][] = [];
  const last = new Map<string, { readonly to: CancellationMove['to']; readonly round: number }>();
  for (const move of moves) {
    const before = last.get(move.cancellationId);
    if (before?.to === 'reopened' && move.to === 'reopened') continue;
    const round = (before?.round ?? -1) + 1;
    (rounds[round] ??= []).push(move);
    last.set(move.cancellationId, { to: move.to, round });
  }
  return rounds;
};
