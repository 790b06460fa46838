import { afterAll, beforeAll } from '@jest/globals';
import { type Database, useDatabase } from './database.js';
import { type EventStoreServer, freshNamespace, useEventStoreServer } from './event-store-server.js';
import { httpRequest } from './http.js';
import { type Environment, LedgerService, type RunningService } from './service.js';

export type Standing = 'leading' | 'standing-by';

/** What each consumer is to an instance, as its `/readyz` says. */
export const standingsOf = async ({ url }: RunningService): Promise<Readonly<Record<string, Standing>>> => {
  const { json } = await httpRequest(`${url}/readyz`);
  return (json as { consumers: Record<string, Standing> }).consumers;
};

/** Generous for a busy machine. */
const startLimitMs = 180_000;

/** Several ledgers on one log and one database. */
export class LedgerInstances {
  readonly namespace = freshNamespace();
  readonly #all: LedgerService[] = [];

  constructor(
    readonly server: EventStoreServer,
    readonly database: Database,
  ) {}

  /** One more; it is not started. `more` is asked at each start. */
  instance(more: () => Environment = () => ({})): LedgerService {
    const service = new LedgerService({
      environment: () => ({
        ...this.server.environment(this.namespace),
        LEDGER_VIEWS: this.database.url,
        ...more(),
      }),
    });
    this.#all.push(service);
    return service;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#all.map((service) => service.dispose()));
  }
}

/** A log and a database, and so many instances, started together before the tests of a file. */
export const useInstances = (
  count: number,
): LedgerInstances & { readonly running: readonly LedgerService[] } => {
  const made: LedgerInstances[] = [];
  // Hooks run in the order in which they are made: nobody is left on a database that is taken away.
  afterAll(async () => {
    for (const instances of made) await instances.dispose();
  });
  const instances = new LedgerInstances(useEventStoreServer(), useDatabase());
  made.push(instances);
  const running = Array.from({ length: count }, () => instances.instance());
  beforeAll(async () => {
    await Promise.all(running.map((service) => service.start()));
  }, startLimitMs);
  return Object.assign(instances, { running });
};
