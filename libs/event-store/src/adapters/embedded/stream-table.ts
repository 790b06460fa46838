import type { Database as Connection, Statement } from 'better-sqlite3';
import { knownStreamsMax } from './limits.js';

export interface StreamRow {
  readonly id: number;
  /** Revision of its last event. */
  revision: number;
}

/** The `streams` table, with the rows used last kept in memory. Only within the writer's transaction. */
export class StreamTable {
  readonly #known = new Map<string, StreamRow>();
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
    const stored = this.#select.get(name);
    if (stored !== undefined) this.#remember(name, stored);
    return stored;
  }

  /** Makes the stream, its last event at `revision`, unless it is there: one look at the index instead of two. */
  create(name: string, revision: number): StreamRow | undefined {
    if (this.#known.has(name)) return undefined;
    const { changes, lastInsertRowid } = this.#insert.run(name, revision);
    return changes === 0 ? undefined : this.#remember(name, { id: Number(lastInsertRowid), revision });
  }

  moveOn(row: StreamRow, revision: number): void {
    row.revision = revision;
    this.#update.run(revision, row.id);
  }

  /** After a rollback: what is in memory may be more than what is stored. */
  forget(): void {
    this.#known.clear();
  }

  #remember(name: string, row: StreamRow): StreamRow {
    this.#known.set(name, row);
    if (this.#known.size > knownStreamsMax) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return row;
  }
}
