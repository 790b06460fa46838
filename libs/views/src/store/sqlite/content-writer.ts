import type Database from 'better-sqlite3';
import {
  type ChunkRow,
  type CommandRow,
  type LinkRow,
  type MessageRow,
  placeOf,
  type RowBatch,
  type SetAsideRow,
} from '../rows.js';
import { change } from './queries.js';
import * as statements from '../statements/writes.js';

type Numbered<Row, Member extends keyof Row> = Omit<Row, Member> & Readonly<Record<Member, number>>;

/** Writes the rows that are added and never changed, beside the tasks themselves. Inside the batch's transaction. */
export class ContentWriter {
  readonly #message;
  readonly #chunk;
  readonly #replaceChunks;
  readonly #command;
  readonly #dropCommand;
  readonly #forgetCommands;
  readonly #link;
  readonly #setAside;

  constructor(database: Database.Database) {
    this.#message = change<MessageRow>(database, statements.insertMessage);
    this.#chunk = change<Numbered<ChunkRow, 'append'>>(database, statements.insertChunk);
    this.#replaceChunks = change<{ lowest: number; place: number; artifactId: string; at: string }>(
      database,
      statements.replaceChunks,
    );
    this.#command = change<CommandRow>(database, statements.insertCommand);
    this.#dropCommand = change<{ place: number }>(database, statements.deleteCommand);
    this.#forgetCommands = change<{ lowest: number; place: number }>(database, statements.forgetCommands);
    this.#link = change<Numbered<LinkRow, 'late'>>(database, statements.insertLink);
    this.#setAside = change<SetAsideRow>(database, statements.insertSetAside);
  }

  write(batch: RowBatch): void {
    for (const row of batch.messages) this.#message(row);
    for (const row of batch.chunks) this.#chunk({ ...row, append: Number(row.append) });
    for (const { taskKey, artifactId, place, at } of batch.replacements)
      this.#replaceChunks({ lowest: placeOf(taskKey, 0), place, artifactId, at });
    this.#writeCommands(batch);
    for (const row of batch.links) this.#link({ ...row, late: Number(row.late) });
    for (const row of batch.setAside) this.#setAside(row);
  }

  #writeCommands({ commands, movedCommands, forgottenBelow }: RowBatch): void {
    for (const place of movedCommands) this.#dropCommand({ place });
    for (const row of commands) this.#command(row);
    for (const { taskKey, place } of forgottenBelow)
      this.#forgetCommands({ lowest: placeOf(taskKey, 0), place });
  }
}
