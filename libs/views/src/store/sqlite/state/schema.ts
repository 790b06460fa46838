import type Database from 'better-sqlite3';
import type { Compilable } from 'kysely';
import { queriesOver, textOf } from '../queries.js';

/** Stands in the file's header. A newer one is refused; an older one would be brought up here. */
export const stateVersion = 1;

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

const tables = (): Compilable[] => [
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
];

/** Tables and header in one transaction: a file has all of it, or is as good as new. False: somebody else was first. */
export const createStateTables = (database: Database.Database): boolean =>
  database
    .transaction(() => {
      if (!isEmpty(database)) return false;
      for (const table of tables()) database.exec(textOf(table));
      database.pragma(`application_id = ${String(stateApplication)}`);
      database.pragma(`user_version = ${String(stateVersion)}`);
      return true;
    })
    .immediate();

export const isEmpty = (database: Database.Database): boolean =>
  database.prepare<[]>('select 1 from sqlite_schema limit 1').get() === undefined;
