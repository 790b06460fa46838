import type { Position } from '#event-store';
import { viewIndexes } from '../schema/view-schema.js';
import * as statements from '../statements/maintenance.js';
import { ViewsUnavailableError } from '../errors.js';
import { type Connections, longStatementMs } from './connections.js';
import { quoted } from './queries.js';
import type { Tables } from './tables.js';
import { holdWriters, readMark, viewTableNames } from './view-schema.js';

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

  /**
   * Each step is one transaction and may be done again: a completion that was cut begins anew. So does one during which
   * another process has written: what that left to the completion may lie behind a step that is done.
   */
  completion(): readonly (() => Promise<void>)[] {
    const { tables } = this;
    const texts = [
      ...viewIndexes().map((index) => [tables.textOf(index)]),
      [tables.textOf(statements.setAllRoots)],
      [statements.clearCounters, ...statements.countAll].map((query) => tables.textOf(query)),
      // The planner knows nothing of tables that were filled a moment ago.
      [`analyze ${everyTable(tables)}`],
      [tables.textOf(statements.endBuilding)],
    ];
    let begunAt: Position | undefined;
    return texts.map((step) => async () => {
      begunAt = await this.#step(step, begunAt);
    });
  }

  /** Answers where the tables stand. */
  #step(texts: readonly string[], begunAt: Position | undefined): Promise<Position> {
    return this.connections.transaction(
      `begin; set local statement_timeout = ${String(longStatementMs)}; ${holdWriters(this.tables)}`,
      async (on) => {
        const mark = await readMark(on, this.tables);
        if (mark?.generation !== this.generation || mark.position !== (begunAt ?? mark.position))
          throw new ViewsUnavailableError(new Error('another instance fills the views'));
        for (const text of texts) await on.query(patient(text));
        return mark.position;
      },
    );
  }
}

/** A text that takes as long as the tables are large. */
const patient = (text: string): { text: string; query_timeout: number } => ({
  text,
  query_timeout: longStatementMs,
});

const everyTable = ({ schema }: Tables): string =>
  [...viewTableNames].map((name) => `${quoted(schema)}.${quoted(name)}`).join(', ');
