import { queriesOver, type Statement } from '../statements/queries.js';

/** Which program a file belongs to, in its header: "TLst". */
export const stateApplication = 0x54_4c_73_74;

export interface StateTables {
  /** How far a follower of the log has come. */
  checkpoints: { name: string; position: string; event_id: string; log_id: string };
  /** Events whose consequences are not all appended. */
  triggers: { position: string; stream: string; revision: number };
}

export const stateQueries = queriesOver<StateTables>();

const { schema } = stateQueries;

/**
 * What brings a state from one version to the next, the first one from nothing; the same for both dialects. Only
 * ever added to. The version is the number of steps taken: in SQLite it stands in the file's header.
 */
export const stateMigrations: readonly (readonly Statement[])[] = [
  [
    schema
      .createTable('checkpoints')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('position', 'text', (column) => column.notNull())
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('log_id', 'text', (column) => column.notNull()),
    schema
      .createTable('triggers')
      .addColumn('position', 'text', (column) => column.primaryKey())
      .addColumn('stream', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull()),
  ],
];

/** A newer one is refused; an older one is brought up. */
export const stateVersion = stateMigrations.length;
