import { afterAll, beforeAll } from '@jest/globals';
import { type TestDatabase, type TestPostgres, usePostgres } from '#testing';

/** A PostgreSQL database for the services of one spec file. */
export class Database {
  #server: TestPostgres | undefined;
  #database: TestDatabase | undefined;

  async start(): Promise<void> {
    this.#server = await usePostgres();
    this.#database = await this.#server.database();
  }

  async stop(): Promise<void> {
    await this.#database?.drop();
    await this.#server?.stop();
  }

  get url(): string {
    if (this.#database === undefined) throw new Error('the database was not started');
    return this.#database.url;
  }
}

export const useDatabase = (): Database => {
  const database = new Database();
  beforeAll(() => database.start());
  afterAll(() => database.stop());
  return database;
};
