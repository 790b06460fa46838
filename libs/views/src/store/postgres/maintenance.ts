import { viewIndexes } from '../schema/view-schema.js';
import * as statements from '../statements/maintenance.js';
import { ViewsUnavailableError } from '../errors.js';
import { type Connections, longStatementMs, type Queryable } from './connections.js';
import { quoted } from './queries.js';
import type { Tables } from './tables.js';
import { readMark, viewTableNames } from './view-schema.js';

/** What is done to a view beside its events: closed versions thrown away, a filling completed. */
export class Maintenance {
  constructor(
    private readonly tables: Tables,
    private readonly connections: Connections,
    private readonly generation: string,
  ) {}

  purge(closedBefore: number, limit: number): Promise<number> {
    return this.connections.transaction('begin', async (on) => {
      const { tables } = this;
      const end = (await tables.get(on, statements.newestToPurge, { closedBefore, limit }))?.end;
      if (end === undefined || end === null) return 0;
      const purged = await tables.change(on, statements.purgeVersions, { end });
      await tables.change(on, statements.purgeChunks, { end });
      await tables.change(on, statements.rememberPurge, { end });
      return purged;
    });
  }

  /** Each step is one transaction and may be done again: a completion that was cut begins anew. */
  completion(): readonly (() => Promise<void>)[] {
    const { tables } = this;
    const indexes = viewIndexes().map((index) => this.#step([tables.textOf(index)]));
    return [
      ...indexes,
      this.#step([tables.textOf(statements.setAllRoots)]),
      this.#step([statements.clearCounters, ...statements.countAll].map((query) => tables.textOf(query))),
      // The planner knows nothing of tables that were filled a moment ago.
      this.#step([`analyze ${everyTable(tables)}`]),
      this.#step([tables.textOf(statements.endBuilding)]),
    ];
  }

  #step(texts: readonly string[]): () => Promise<void> {
    return () =>
      this.connections.transaction(
        `begin; set local statement_timeout = ${String(longStatementMs)}`,
        async (on) => {
          await this.#mustBeOurs(on);
          for (const text of texts) await on.query(patient(text));
        },
      );
  }

  /** Another process may have begun its own filling in the place of this one. */
  async #mustBeOurs(on: Queryable): Promise<void> {
    if ((await readMark(on, this.tables))?.generation !== this.generation)
      throw new ViewsUnavailableError(new Error('another instance fills the views'));
  }
}

/** A text that takes as long as the tables are large. */
const patient = (text: string): { text: string; query_timeout: number } => ({
  text,
  query_timeout: longStatementMs,
});

const everyTable = ({ schema }: Tables): string =>
  [...viewTableNames].map((name) => `${quoted(schema)}.${quoted(name)}`).join(', ');
