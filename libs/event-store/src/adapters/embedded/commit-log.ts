import type { Database as Connection, Statement } from 'better-sqlite3';
import type { NewEvent } from '../../port.js';
import type { AppendOutcome, AppendRequest, Trouble } from './messages.js';
import { isOwnFault, mayHaveCommitted, reasonOf } from './sqlite-errors.js';
import { StreamTable, type StreamRow } from './stream-table.js';

/** The writing side of the log, synchronous: it lives in the commit thread. */
export class CommitLog {
  readonly #streams: StreamTable;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #insert: Statement<[number, number, string, string, string, string, number]>;
  readonly #findEvent: Statement<[number, number], { id: string; position: number }>;
  readonly #last: Statement<[], { position: number | null }>;
  readonly #foreignWrites: Statement<[], { data_version: number }>;
  #newest: number;
  #seenWrites: number;
  #trouble: Trouble = null;

  constructor(private readonly database: Connection) {
    this.#streams = new StreamTable(database);
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#insert = database.prepare(
      'INSERT INTO events (stream_id, revision, id, type, data, metadata, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#findEvent = database.prepare(
      'SELECT id, position FROM events WHERE stream_id = ? AND revision = ?',
    );
    this.#last = database.prepare('SELECT max(position) AS position FROM events');
    this.#foreignWrites = database.prepare('PRAGMA data_version');
    this.#newest = this.#last.get()?.position ?? 0;
    this.#seenWrites = this.#foreignWrites.get()?.data_version ?? 0;
  }

  /** Position of the newest event, 0 when there is none. */
  get newest(): number {
    return this.#newest;
  }

  /** Why the last write failed; null when it did not. */
  get trouble(): Trouble {
    return this.#trouble;
  }

  /**
   * One transaction for all of them. Each is checked before its first row is written, so that one that is refused
   * leaves nothing behind and costs the others nothing. `created`: the store's clock, milliseconds.
   */
  commit(requests: readonly AppendRequest[], created: number): AppendOutcome[] {
    let committing = false;
    try {
      this.#begin.run();
      this.#noticeForeignWrites();
      const outcomes = requests.map((request) => this.#append(request, created));
      committing = true;
      this.#commit.run();
      this.#trouble = null;
      return outcomes;
    } catch (error) {
      this.#undo();
      if (isOwnFault(error) && requests.length > 1)
        return requests.flatMap((request) => this.commit([request], created));
      return this.#failAll(requests, error, committing && mayHaveCommitted(error));
    }
  }

  /** Writes and takes away a little, to find out whether the store can write again. */
  probe(): Trouble {
    try {
      this.database.exec('INSERT INTO probe (filler) VALUES (zeroblob(16384))');
      this.database.exec('DELETE FROM probe');
      this.#trouble = null;
    } catch (error) {
      this.#trouble = reasonOf(error);
    }
    return this.#trouble;
  }

  #append(request: AppendRequest, created: number): AppendOutcome {
    const { stream, expected, events } = request;
    const made = expected === 'none' ? this.#streams.create(stream, events.length - 1) : undefined;
    if (made !== undefined) return this.#insertEvents(made, events, created);
    const row = this.#streams.find(stream);
    if (row === undefined) return this.#appendToNone(request, created);
    if (expected === 'any' || expected === row.revision) {
      this.#streams.moveOn(row, row.revision + events.length);
      return this.#insertEvents(row, events, created);
    }
    const first = expected === 'none' ? 0 : expected + 1;
    return this.#repeated(row.id, first, events) ?? { kind: 'conflict', actual: row.revision };
  }

  /** There is no such stream. */
  #appendToNone({ stream, expected, events }: AppendRequest, created: number): AppendOutcome {
    const made = expected === 'any' ? this.#streams.create(stream, events.length - 1) : undefined;
    return made === undefined
      ? { kind: 'conflict', actual: 'none' }
      : this.#insertEvents(made, events, created);
  }

  /** `row` has been moved on already. */
  #insertEvents(row: StreamRow, events: readonly NewEvent[], created: number): AppendOutcome {
    let revision = row.revision - events.length;
    for (const { id, type, data, metadata } of events) {
      const { lastInsertRowid } = this.#insert.run(row.id, ++revision, id, type, data, metadata, created);
      this.#newest = Number(lastInsertRowid);
    }
    return { kind: 'written', revision, position: this.#newest };
  }

  /** The first result, when just these ids stand where this append would have put them. */
  #repeated(streamId: number, first: number, events: readonly NewEvent[]): AppendOutcome | undefined {
    let position = 0;
    for (const [index, { id }] of events.entries()) {
      const there = this.#findEvent.get(streamId, first + index);
      if (there?.id !== id) return undefined;
      position = there.position;
    }
    return { kind: 'repeated', revision: first + events.length - 1, position };
  }

  /** Nobody else should write here; when somebody did, what is remembered is not true any more. */
  #noticeForeignWrites(): void {
    const writes = this.#foreignWrites.get()?.data_version ?? 0;
    if (writes !== this.#seenWrites) this.#forget();
    this.#seenWrites = writes;
  }

  #undo(): void {
    // SQLite has rolled back by itself after some errors, among them a full disk.
    if (this.database.inTransaction) this.database.exec('ROLLBACK');
    this.#forget();
  }

  #forget(): void {
    this.#streams.forget();
    this.#newest = this.#last.get()?.position ?? 0;
  }

  #failAll(requests: readonly AppendRequest[], error: unknown, unknown: boolean): AppendOutcome[] {
    const reason = reasonOf(error);
    if (!isOwnFault(error)) this.#trouble = reason;
    return requests.map(() => ({ kind: unknown ? 'unknown' : 'refused', reason }));
  }
}
