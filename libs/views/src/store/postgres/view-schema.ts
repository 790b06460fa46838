import { schemaVersion } from '../schema/view-schema.js';
import { viewName } from '../statements/maintenance.js';
import { mark, type RawMark } from '../statements/reads.js';
import type { ViewMark } from '../view-database.js';
import { schemaOf, type Queryable } from './connections.js';
import { quoted } from './queries.js';
import { Tables } from './tables.js';

export const viewTableNames: ReadonlySet<string> = new Set([
  ...['marks', 'tasks', 'closed_versions', 'counters', 'messages', 'chunks', 'commands', 'links'],
  ...['timers', 'cancellations', 'set_aside', 'distrusted'],
]);

/** The schemas of one ledger's views, and the channel on which their changes are told. */
export interface ViewSchemas {
  /** What serves. */
  readonly live: Tables;
  /** What is being filled. */
  readonly next: Tables;
  /** What served before, until it is dropped. */
  readonly old: string;
  readonly channel: string;
}

export const viewSchemasOf = (namespace: string): ViewSchemas => {
  const live = schemaOf(namespace, 'views');
  return {
    live: new Tables(live, viewTableNames),
    next: new Tables(`${live}_next`, viewTableNames),
    old: `${live}_old`,
    channel: live,
  };
};

/** Undefined where there are no tables, or tables of another version. */
export const readMark = async (on: Queryable, tables: Tables): Promise<ViewMark | undefined> => {
  const raw = await tables.get<RawMark>(on, mark, { name: viewName, schemaVersion });
  return raw && { ...raw, building: raw.building === 1 };
};

const marksOf = ({ schema }: Tables): string => `${quoted(schema)}.${quoted('marks')}`;

/**
 * Begins a transaction that sees one moment of one set of tables: whoever exchanges them waits until it has ended.
 * The lock comes before the moment is fixed, which the first query does.
 */
export const beginReading = (tables: Tables): string =>
  `begin isolation level repeatable read read only; lock table ${marksOf(tables)} in access share mode`;

/** Waits until nobody reads, and lets nobody begin. */
export const holdReaders = (tables: Tables): string =>
  `lock table ${marksOf(tables)} in access exclusive mode`;

/** Waits until nobody writes, and lets nobody begin; whoever reads goes on. */
export const holdWriters = (tables: Tables): string => `lock table ${marksOf(tables)} in exclusive mode`;
