import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';

const lookEveryMs = 1;
/** A liveness limit for a busy machine. */
const reachLimitMs = 60_000;

export interface LoggedEvent {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The file of a service's log, read from outside while the service writes to it. */
export class LogFile {
  constructor(private readonly service: { readonly directory: string }) {}

  /** Position of the newest event; positions have no gaps. */
  newest(): number {
    return this.#reading((log) => this.#newest(log));
  }

  /** Resolves when the log has come to a position. */
  async reaches(position: number): Promise<void> {
    const log = this.#open();
    const end = Date.now() + reachLimitMs;
    try {
      while (this.#newest(log) < position) {
        if (Date.now() > end) throw new Error(`the log does not come to position ${String(position)}`);
        await delay(lookEveryMs);
      }
    } finally {
      log.close();
    }
  }

  /** What was written after a position. */
  since(position: number): readonly LoggedEvent[] {
    return this.#reading((log) =>
      log
        .prepare<[number], Omit<LoggedEvent, 'data'> & { readonly data: string }>(
          `SELECT position, name AS stream, events.revision AS revision, type, data
           FROM events JOIN streams USING (stream_id) WHERE position > ? ORDER BY position`,
        )
        .all(position)
        .map((event) => ({ ...event, data: JSON.parse(event.data) as LoggedEvent['data'] })),
    );
  }

  #newest(log: Database.Database): number {
    return Number(log.prepare('SELECT coalesce(max(position), 0) FROM events').pluck().get());
  }

  #reading<Value>(work: (log: Database.Database) => Value): Value {
    const log = this.#open();
    try {
      return work(log);
    } finally {
      log.close();
    }
  }

  #open(): Database.Database {
    return new Database(join(this.service.directory, 'events.db'), { readonly: true, fileMustExist: true });
  }
}
