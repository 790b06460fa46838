import { createHash } from 'node:crypto';
import pg from 'pg';
import { endClient } from './connections.js';

export interface LockTimings {
  /** A connection that does not stand by then is given up. Milliseconds, as everything here. */
  readonly connectMs: number;
  /** A query that is not answered by then: the connection counts as lost. */
  readonly answerMs: number;
  /** The server ends a session from which nothing came for so long, and its locks with it: a holder that hangs. */
  readonly idleMs: number;
}

/** Seconds of silence, between probes, and probes, after which the server gives up a connection, and its locks. */
const serverKeepalives = {
  tcp_keepalives_idle: '3',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
};

/** One number for each lock of each ledger in a database. */
export const lockKey = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(['ledger lock', ...parts]))
    .digest()
    .readBigInt64BE()
    .toString();

/**
 * A connection of its own that may hold one advisory lock: the lock lives as long as the connection, so that nobody
 * has to take it from a process that died. Not to be put through a pooler that shares sessions.
 */
export class LockSession {
  readonly #lost = new AbortController();

  private constructor(
    private readonly client: pg.Client,
    private readonly key: string,
  ) {
    client.on('error', () => {
      this.#lost.abort();
    });
    client.on('end', () => {
      this.#lost.abort();
    });
  }

  /** @throws what the driver throws when there is no connection to be had */
  static async open(connection: pg.ClientConfig, key: string, timings: LockTimings): Promise<LockSession> {
    const client = new pg.Client({
      ...connection,
      connectionTimeoutMillis: timings.connectMs,
      query_timeout: timings.answerMs,
      keepAlive: true,
    });
    const session = new LockSession(client, key);
    try {
      await client.connect();
      await session.#set({ ...serverKeepalives, idle_session_timeout: String(timings.idleMs) });
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Aborted when the connection is gone, and the lock with it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether this session holds the lock now. @throws when the server does not answer */
  async tryLock(): Promise<boolean> {
    const { rows } = await this.#query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1::bigint) as locked',
      [this.key],
    );
    return rows[0]?.locked === true;
  }

  /** @throws when the server does not answer; the session is lost then */
  async prove(): Promise<void> {
    await this.#query('select 1');
  }

  /** Lets go of the lock. */
  async close(): Promise<void> {
    this.#lost.abort();
    await endClient(this.client);
  }

  async #query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly string[] = [],
  ): Promise<pg.QueryResult<Row>> {
    try {
      return await this.client.query<Row>(text, [...values]);
    } catch (error) {
      this.#lost.abort();
      throw error;
    }
  }

  /** Settings that this version of the server does not know are passed over. */
  async #set(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#query(
      `select set_config(known.name, asked.value, false)
         from json_each_text($1::json) as asked(name, value)
         join pg_settings as known on known.name = asked.name`,
      [JSON.stringify(settings)],
    );
  }
}
