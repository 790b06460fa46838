import { type LedgerLogger } from '#application';
import pg from 'pg';
import { StorageSettingError, ViewsUnavailableError } from '../errors.js';
import { isAbsent, isRefusal, named } from './errors.js';
import { valueTypes } from './values.js';

/** Longest wait for a connection, of the server or of the pool. Milliseconds, as everything here. */
const connectMs = 3_000;
/** Longest that the server works at one statement of a read or of a batch, and waits for a lock. */
const statementMs = 15_000;
const lockMs = 5_000;
/** Longest wait for an answer: a server that is gone without a word. */
const answerMs = 20_000;
const idleMs = 30_000;
/** Longest that the server works at one step of a completion: an index over all tasks. */
export const longStatementMs = 600_000;
/** Calls that wait for a connection; the next one is refused. */
const waitingMax = 1_000;

/** Connections for reads, of one instance. */
export const readConnectionsMax = 6;
/** One for the view that serves, one for the view that is filled. */
export const writeConnectionsMax = 2;

export interface PostgresPlace {
  /** `postgres://user:password@host:5432/database`, with `sslmode` and whatever else the driver knows. */
  readonly url: string;
  /** Several ledgers stand side by side in one database. */
  readonly namespace: string;
}

/** So that the longest schema, `<namespace>_views_next`, is a name that PostgreSQL does not cut. */
export const namespaceLengthMax = 40;

/** @throws StorageSettingError the namespace is longer than a schema can be called */
export const schemaOf = (namespace: string, purpose: 'views' | 'state'): string => {
  if (Buffer.byteLength(namespace) > namespaceLengthMax)
    throw new StorageSettingError(
      `the namespace ${namespace} has more than ${String(namespaceLengthMax)} characters, too many for PostgreSQL`,
    );
  return `${namespace}_${purpose}`;
};

/** What a connection is made with, beside its bounds. */
export const clientConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
});

/**
 * `postgres://host:port/database`, without who and by what password.
 * @throws StorageSettingError not such a URL
 */
export const placeName = (url: string): string => {
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    return `postgres://${host}:${String(port)}/${database ?? ''}`;
  } catch {
    // What the driver says of it quotes the URL, and with it the password.
    throw new StorageSettingError('the URL of the database is not of the form postgres://host:port/database');
  }
};

/** A connection that is not closed by then is cut. */
const closeMs = 1_000;

/** Ends a connection, of a server that does not answer too. */
export const endClient = async (client: pg.Client): Promise<void> => {
  let cut: NodeJS.Timeout | undefined;
  const isCut = new Promise<void>((resolve) => {
    cut = setTimeout(() => {
      client.connection.stream.destroy();
      resolve();
    }, closeMs);
  });
  await Promise.race([client.end().catch(() => undefined), isCut]);
  clearTimeout(cut);
};

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** A bounded set of connections. A connection that breaks fails the call on it, and nothing else. */
export class Connections {
  readonly #pool: pg.Pool;
  #failure: string | undefined;

  constructor(
    url: string,
    { max, name, logger }: { readonly max: number; readonly name: string; readonly logger: LedgerLogger },
  ) {
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      max,
      application_name: `ledger ${name}`,
      idleTimeoutMillis: idleMs,
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      query_timeout: answerMs,
      idle_in_transaction_session_timeout: answerMs,
      types: valueTypes,
    });
    this.#pool.on('error', (error) => {
      logger.warn({ error: error.message, connections: name }, 'a connection to the database broke');
    });
    this.#pool.on('connect', (client) => {
      // Told to the call that is under way on it; without a listener it would end the process.
      client.on('error', () => undefined);
    });
  }

  /** Why the last call got no answer; undefined when it got one. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** One statement on its own, or several that need no common moment. */
  async run<Value>(work: (on: Queryable) => Promise<Value>): Promise<Value> {
    const client = await this.#connect();
    return this.#finished(client, () => work(client));
  }

  /** @param begin how the transaction begins, and what is done at once with it */
  async transaction<Value>(begin: string, work: (on: Queryable) => Promise<Value>): Promise<Value> {
    const client = await this.#connect();
    return this.#finished(client, async () => {
      await client.query(begin);
      const value = await work(client);
      await client.query('commit');
      return value;
    });
  }

  async end(): Promise<void> {
    await this.#pool.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= waitingMax)
      throw new ViewsUnavailableError(new Error('too many calls wait for a connection'));
    return this.#pool.connect().catch((error: unknown) => this.#failed(error));
  }

  async #finished<Value>(client: pg.PoolClient, work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      client.release();
      this.#failure = undefined;
      return value;
    } catch (error) {
      client.release(!(await isWhole(client, error)));
      return this.#failed(error);
    }
  }

  #failed(error: unknown): never {
    const failure = named(error);
    // That there are no tables yet is an answer.
    const isAway = failure instanceof ViewsUnavailableError && !isAbsent(failure);
    this.#failure = isAway ? failure.message : undefined;
    throw failure;
  }
}

/** Whether a connection may be used again after a failure: in no transaction, and the server answers on it. */
const isWhole = async (client: pg.PoolClient, error: unknown): Promise<boolean> => {
  if (!isRefusal(error)) return false;
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
};
