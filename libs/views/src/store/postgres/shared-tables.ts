import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerLogger } from '#application';
import pg from 'pg';
import { askRebuild, takeRebuild } from '../statements/maintenance.js';
import type { SharedTables } from '../view-database.js';
import { clientConfig, type Connections, endClient } from './connections.js';
import { isAbsent } from './errors.js';
import { quoted } from './queries.js';
import type { Tables } from './tables.js';

/** Between tries to listen again. Milliseconds. */
const listenRetryMs = 500;

export interface SharedParts {
  readonly url: string;
  readonly logger: LedgerLogger;
  readonly writes: Connections;
  readonly live: Tables;
  readonly channel: string;
  /** The statement that tells of a change. */
  readonly told: string;
}

/** Listens on a connection of its own, from the first listener on. */
export class PostgresSharedTables implements SharedTables {
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #listening: Promise<void> | undefined;
  #client: pg.Client | undefined;

  constructor(private readonly parts: SharedParts) {}

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    this.#listening ??= this.#listenAlways();
    return () => {
      this.#listeners.delete(changed);
    };
  }

  async askForRebuild(): Promise<void> {
    const { writes, live, told } = this.parts;
    await whereTheyAre(
      writes.transaction('begin', async (on) => {
        await live.change(on, askRebuild);
        await on.query(told);
      }),
    );
  }

  async takeRebuildRequest(): Promise<boolean> {
    const { writes, live } = this.parts;
    const taken = await whereTheyAre(writes.run((on) => live.change(on, takeRebuild)));
    return taken !== undefined && taken > 0;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    if (this.#client !== undefined) await endClient(this.#client);
    await this.#listening;
  }

  async #listenAlways(): Promise<void> {
    const { signal } = this.#closing;
    let isHeard = true;
    while (!signal.aborted) {
      try {
        await this.#listen();
        isHeard = true;
      } catch (error) {
        if (isHeard) this.parts.logger.warn({ error: String(error) }, 'changes of the views are not told');
        isHeard = false;
      }
      await delay(listenRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Until the connection is lost. */
  async #listen(): Promise<void> {
    const client = new pg.Client({ ...clientConfig(this.parts.url), application_name: 'ledger listener' });
    this.#client = client;
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    try {
      await client.connect();
      client.on('notification', () => this.#tell());
      await client.query(`listen ${quoted(this.parts.channel)}`);
      // What was told before is not heard again.
      this.#tell();
      await lost;
    } finally {
      await endClient(client);
    }
  }

  #tell(): void {
    for (const changed of this.#listeners) changed();
  }
}

/** Undefined where no tables serve yet: these are being filled in any case. */
const whereTheyAre = async <Value>(change: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await change;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};
