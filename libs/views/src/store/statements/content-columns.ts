import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely';
import { placesPerTask } from '../rows.js';
import { atMost, integer, param, perDialect } from './queries.js';

/** How much of its content is read with a version of a task. */
export interface ContentParameters {
  /** Most message entries. */
  readonly messages: number;
  /** 1: with artifacts, 0: without. */
  readonly artifacts: number;
  /** A chunk that was replaced after this position still counts. */
  readonly asOf: string;
}

const lowest = sql`version.task_key * ${sql.lit(placesPerTask)}`;
const within = sql`place >= ${lowest} and place <= ${lowest} + version.revision`;

/** Texts of JSON, one a row, as members of an array, in no promised order; null when there is none. */
const joined = (member: RawBuilder<unknown>): RawBuilder<unknown> =>
  perDialect({ sqlite: sql`group_concat(${member}, ',')`, postgres: sql`string_agg(${member}, ',')` });

/** A text as JSON. */
const quoted = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
  perDialect({ sqlite: sql`json_quote(${column})`, postgres: sql`to_json(${column})::text` });

const message = sql`'{"revision":' || (place - ${lowest}) || ',"message":' || message || '}'`;

/** The newest messages up to the revision of `version`, as members of a JSON array, in no promised order. */
const messages = sql<string | null>`(
  select ${joined(message)}
  from (
    select place, message from ${sql.table('messages')} where ${within}
    order by place desc limit ${atMost('messages')}
  ) as newest)`.as('messages');

const chunk = sql`'{"place":' || place || ',"artifactId":' || ${quoted(sql.ref('artifact_id'))} ||
  ',"append":' || append || ',"artifact":' || artifact || '}'`;

/** The chunks that make up the artifacts of `version`, in the same form. */
const chunks = sql<string | null>`(
  select ${joined(chunk)} from ${sql.table('chunks')}
  where ${integer('artifacts')} = 1 and ${within} and (replaced_at is null or replaced_at > ${param('asOf')})
  )`.as('chunks');

/**
 * The content of a task as two columns of JSON text. One row that holds everything is read in a third of the time
 * that a row for each message takes, for most of that is the way from the database to objects.
 */
export const contentOf = (): [
  AliasedRawBuilder<string | null, 'messages'>,
  AliasedRawBuilder<string | null, 'chunks'>,
] => [messages, chunks];
