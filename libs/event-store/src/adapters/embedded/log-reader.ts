import type { Database as Connection, Statement } from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '../../errors.js';
import type { ReadAllOptions, ReadStreamOptions, RecordedEvent } from '../../port.js';
import { fromPosition } from '../../positions.js';
import type { LogPage, LogPageRequest } from '../../subscription.js';
import { pageBytesMax, scanPositionsMax } from './limits.js';
import type { EventRow } from './recorded.js';
import { recordedFrom, weightOf } from './recorded.js';
import { reasonOf } from './sqlite-errors.js';

type StreamPage = Statement<[string, number, number], EventRow>;
/** After (excluded) · up to (included) · code points of the prefix · prefix · most rows. */
type Scan = Statement<[number, number, number, string, number], EventRow>;

const columns = 's.name, e.revision, e.position, e.id, e.type, e.data, e.metadata, e.created';

// CROSS JOIN fixes the order: along the log, each event's stream looked up, never the other way round.
const scanSql = (columnList: string, order: 'ASC' | 'DESC'): string => `
  SELECT ${columnList} FROM events e CROSS JOIN streams s ON s.stream_id = e.stream_id
  WHERE e.position > ? AND e.position <= ? AND substr(s.name, 1, ?) = ? ORDER BY e.position ${order} LIMIT ?`;

const streamSql = (comparison: '>=' | '<=', order: 'ASC' | 'DESC'): string => `
  SELECT ${columns} FROM streams s JOIN events e ON e.stream_id = s.stream_id
  WHERE s.name = ? AND e.revision ${comparison} ? ORDER BY e.revision ${order} LIMIT ?`;

/**
 * The reading side of the log, on a connection of its own. No read transaction outlives one statement, so that
 * checkpoints are never held up; a long scan is many statements with a turn of the event loop between them.
 */
export class LogReader {
  readonly #streamForwards: StreamPage;
  readonly #streamBackwards: StreamPage;
  readonly #forwards: Scan;
  readonly #backwards: Scan;
  readonly #nameFrom: Statement<[string], string>;

  /** `newest`: where the log ends, as this process knows it. */
  constructor(
    private readonly database: Connection,
    private readonly newest: () => number,
  ) {
    this.#streamForwards = database.prepare<[string, number, number], EventRow>(streamSql('>=', 'ASC')).raw();
    this.#streamBackwards = database
      .prepare<[string, number, number], EventRow>(streamSql('<=', 'DESC'))
      .raw();
    this.#forwards = database
      .prepare<[number, number, number, string, number], EventRow>(scanSql(columns, 'ASC'))
      .raw();
    this.#backwards = database
      .prepare<[number, number, number, string, number], EventRow>(scanSql(columns, 'DESC'))
      .raw();
    this.#nameFrom = database
      .prepare<[string], string>('SELECT name FROM streams WHERE name >= ? ORDER BY name LIMIT 1')
      .pluck();
  }

  readStream(stream: string, { from, direction, limit }: ReadStreamOptions): RecordedEvent[] {
    return this.#reading(() =>
      direction === 'backwards'
        ? this.#streamBackwards.all(stream, from ?? Number.MAX_SAFE_INTEGER, limit)
        : this.#streamForwards.all(stream, from ?? 0, limit),
    ).map(recordedFrom);
  }

  readAll({ from, direction, limit, prefix }: ReadAllOptions): Promise<RecordedEvent[]> {
    return direction === 'backwards'
      ? this.#readBackwards(from === undefined ? this.newest() : fromPosition(from) - 1, limit, prefix)
      : this.#readForwards(from === undefined ? 0 : fromPosition(from) - 1, limit, prefix);
  }

  /** A page for a subscription: bounded by weight too, and by how far one statement looks. */
  async page({ after, prefix, limit }: LogPageRequest): Promise<LogPage> {
    // A consumer that only ever awaits this would let nobody else run.
    await nextTurn();
    const upTo = Math.min(after + scanPositionsMax, this.newest());
    return this.#reading(() => {
      const events: RecordedEvent[] = [];
      let weight = 0;
      for (const row of this.#forwards.iterate(after, upTo, codePoints(prefix), prefix, limit)) {
        const event = recordedFrom(row);
        events.push(event);
        weight += weightOf(event);
        if (events.length === limit || weight >= pageBytesMax) return { events, scannedTo: row[2] };
      }
      return { events, scannedTo: Math.max(after, upTo) };
    });
  }

  async head(prefix: string): Promise<string | undefined> {
    // The first name at or after the prefix bears it, or none does: no scan of a log that has nothing for us.
    const first = this.#reading(() => this.#nameFrom.get(prefix));
    if (first?.startsWith(prefix) !== true) return undefined;
    return (await this.#readBackwards(this.newest(), 1, prefix))[0]?.position;
  }

  close(): void {
    this.database.close();
  }

  async #readForwards(start: number, limit: number, prefix: string): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    const end = this.newest();
    for (let after = start; after < end && events.length < limit; after += scanPositionsMax) {
      if (after > start) await nextTurn();
      const upTo = Math.min(after + scanPositionsMax, end);
      for (const row of this.#scan(this.#forwards, after, upTo, prefix, limit - events.length))
        events.push(recordedFrom(row));
    }
    return events;
  }

  async #readBackwards(start: number, limit: number, prefix: string): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    const top = Math.min(start, this.newest());
    for (let upTo = top; upTo > 0 && events.length < limit; upTo -= scanPositionsMax) {
      if (upTo < top) await nextTurn();
      for (const row of this.#scan(
        this.#backwards,
        upTo - scanPositionsMax,
        upTo,
        prefix,
        limit - events.length,
      ))
        events.push(recordedFrom(row));
    }
    return events;
  }

  #scan(scan: Scan, after: number, upTo: number, prefix: string, limit: number): EventRow[] {
    return this.#reading(() => scan.all(after, upTo, codePoints(prefix), prefix, limit));
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw new StoreUnavailableError(this.database.open ? reasonOf(error) : 'the store is closed', {
        cause: error,
      });
    }
  }
}

/** What SQLite counts in `substr`. */
const codePoints = (text: string): number => Array.from(text).length;
