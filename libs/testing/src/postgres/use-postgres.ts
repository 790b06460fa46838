import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type PostgresServer, serverVariable, startPostgres } from './server.js';

export interface TestDatabase {
  /** Of a database of its own, in UTF8, empty. */
  readonly url: string;
  /** Statements as the owner of everything, on a connection of their own. */
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Takes it away, whoever is still connected. */
  drop(): Promise<void>;
}

export interface TestPostgres {
  database(): Promise<TestDatabase>;
  /** Ends the server, where it was started here. */
  stop(): Promise<void>;
}

const on = async (url: string, text: string, values: unknown[] = []): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
};

const createDatabase = async (server: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await on(server, `create database ${name} template template0 encoding 'UTF8'`);
  const place = new URL(server);
  place.pathname = `/${name}`;
  const url = place.toString();
  return {
    url,
    query: (text, values) => on(url, text, values),
    drop: async () => {
      await on(server, `drop database if exists ${name} with (force)`);
    },
  };
};

/** The server of this run of tests, or one of this process's own where none was started. */
export const usePostgres = async (): Promise<TestPostgres> => {
  const shared = process.env[serverVariable];
  const own: PostgresServer | undefined =
    shared === undefined || shared === '' ? await startPostgres() : undefined;
  const server = own?.url ?? shared ?? '';
  return {
    database: () => createDatabase(server),
    stop: async () => {
      await own?.stop();
    },
  };
};
