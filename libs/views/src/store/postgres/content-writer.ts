import { placeOf, type RowBatch } from '../rows.js';
import type { Statement } from '../statements/queries.js';
import * as statements from '../statements/writes.js';
import type { Queryable } from './connections.js';
import type { Tables } from './tables.js';

/** Writes the rows that are added and never changed, beside the tasks themselves. Inside the batch's transaction. */
export class ContentWriter {
  constructor(private readonly tables: Tables) {}

  async write(on: Queryable, batch: RowBatch): Promise<void> {
    for (const [statement, parameters] of changesOf(batch))
      await this.tables.changeEach(on, statement, parameters);
  }
}

/** In this order. */
const changesOf = (batch: RowBatch): readonly (readonly [Statement, readonly object[]])[] => [
  [statements.insertMessage, batch.messages],
  [statements.insertChunk, batch.chunks.map((row) => ({ ...row, append: Number(row.append) }))],
  [
    statements.replaceChunks,
    batch.replacements.map(({ taskKey, ...replaced }) => ({ ...replaced, lowest: placeOf(taskKey, 0) })),
  ],
  [statements.deleteCommand, batch.movedCommands.map((place) => ({ place }))],
  [statements.insertCommand, batch.commands],
  [
    statements.forgetCommands,
    batch.forgottenBelow.map(({ taskKey, place }) => ({ lowest: placeOf(taskKey, 0), place })),
  ],
  [statements.insertLink, batch.links.map((row) => ({ ...row, late: Number(row.late) }))],
  [statements.insertSetAside, batch.setAside],
];
