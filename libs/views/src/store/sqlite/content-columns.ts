import { type AliasedRawBuilder, sql } from 'kysely';
import { placesPerTask } from '../rows.js';
import { atMost, param } from './queries.js';

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

/** The newest messages up to the revision of `version`, as members of a JSON array, in no promised order. */
const messages = sql<string | null>`(
  select group_concat('{"revision":' || (place - ${lowest}) || ',"message":' || message || '}', ',')
  from (
    select place, message from messages where ${within} order by place desc limit ${atMost('messages')}
  ))`.as('messages');

/** The chunks that make up the artifacts of `version`, in the same form. */
const chunks = sql<string | null>`(
  select group_concat(
    '{"place":' || place || ',"artifactId":' || json_quote(artifact_id) || ',"append":' || append ||
    ',"artifact":' || artifact || '}', ',')
  from chunks
  where ${param('artifacts')} = 1 and ${within} and (replaced_at is null or replaced_at > ${param('asOf')})
  )`.as('chunks');

/**
 * The content of a task as two columns of JSON text. One row that holds everything is read in a third of the time
 * that a row for each message takes, for most of that is the way from the database to objects.
 */
export const contentOf = (): [
  AliasedRawBuilder<string | null, 'messages'>,
  AliasedRawBuilder<string | null, 'chunks'>,
] => [messages, chunks];
