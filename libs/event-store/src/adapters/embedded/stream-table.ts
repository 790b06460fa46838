import type { Database as Connection, Statement } from 'better-sqlite3';
import { knownStreamsMax } from './limits.js';

export interface StreamRow {
  readonly id: number;
  /** Revision of its last event. */
  revision: number;
}

/** The `streams` table, with the rows used last kept in memory. Only within the writer's transaction. */
export class StreamTable {
  /**
   * Two generations: when the younger is full it becomes the older, and that one is dropped whole. Deleting the oldest
   * entry of one map at every new stream would look past ever more deleted ones: it cost as much as the insert.
   */
  #known = new Map<string, StreamRow>();
  #older = new Map<string, StreamRow>();
  readonly #select: Statement<[string], StreamRow>;
  readonly #insert: Statement<[string, number]>;
  readonly #update: Statement<[number, number]>;

  constructor(database: Connection) {
    this.#select = database.prepare('SELECT stream_id AS id, revision FROM streams WHERE name = ?');
    this.#insert = database.prepare(
      'INSERT INTO streams (name, revision) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
    );
    this.#update = database.prepare('UPDATE streams SET revision = ? WHERE stream_id = ?');
  }

  find(name: string): StreamRow | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#older.get(name) ?? this.#select.get(name);
    if (row !== undefined) this.#remember(name, row);
    return row;
  }

  /** Makes the stream, its last event at `revision`, unless it is there: one look at the index instead of two. */
  create(name: string, revision: number): StreamRow | undefined {
    if (this.#known.has(name) || this.#older.has(name)) return undefined;
    const { changes, lastInsertRowid } = this.#insert.run(name, revision);
    return changes === 0 ? undefined : this.#remember(name, { id: Number(lastInsertRowid), revision });
  }

  moveOn(row: StreamRow, revision: number): void {
    row.revision = revision;
    this.#update.run(revision, row.id);
  }

  /** After a rollback: what is in memory may be more than what is stored. */
  forget(): void {
    this.#known = new Map();
    this.#older = new Map();
  }

  #remember(name: string, row: StreamRow): StreamRow {
    if (this.#known.size >= knownStreamsMax / 2) {
      this.#older = this.#known;
      this.#known = new Map();
    }
    this.#known.set(name, row);
    return row;
  }
}
