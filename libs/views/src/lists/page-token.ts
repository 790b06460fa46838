import { createHash } from 'node:crypto';
import { type DomainError, invalid } from '#domain';
import type { Position } from '#event-store';
import type { PageKey, Scope } from '../store/index.js';

/** What a later page needs of page one. */
export interface PageToken {
  readonly logId: string;
  readonly asOf: Position;
  /** The run of the view that answered page one. */
  readonly run: string;
  readonly key: PageKey;
  readonly total: number;
}

const checksumBytes = 12;
/** Characters of a token that anybody may send; ours are a fraction of it. */
const tokenLengthMax = 2_048;

const checksumOf = (body: Buffer): Buffer =>
  createHash('sha256').update(body).digest().subarray(0, checksumBytes);

/** What is listed, filter and scope in few characters: a token is good for its own list, and for its caller. */
export const listHash = (list: 'tasks' | 'cancellations', scope: Scope, filter: object): string => {
  const members: [string, unknown][] = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([list, scope.tenant, scope.owner ?? null, members]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
};

export const encodeToken = ({ logId, asOf, run, key, total }: PageToken, hash: string): string => {
  const body = Buffer.from(JSON.stringify([logId, asOf, run, key.at, key.id, total, hash]));
  return Buffer.concat([checksumOf(body), body]).toString('base64url');
};

const refused = (why: string): DomainError => invalid('pageToken', why);

/** The body of a token that came back as it was given out, to the last character. */
const intactBody = (token: string): string => {
  const bytes = token.length <= tokenLengthMax ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  const body = bytes.subarray(checksumBytes);
  // Decoding skips what it does not know, so that only a token that is written the same way again is ours.
  const isOurs =
    bytes.toString('base64url') === token && checksumOf(body).equals(bytes.subarray(0, checksumBytes));
  if (!isOurs) throw refused('is not a token that this ledger gave out');
  return body.toString();
};

/**
 * @throws DomainError `invalid-request` (field `pageToken`): damaged, of another log, or of another list or caller
 */
export const decodeToken = (token: string, expected: { logId: string; hash: string }): PageToken => {
  const members = JSON.parse(intactBody(token)) as [string, string, string, string, string, number, string];
  const [logId, asOf, run, at, id, total, hash] = members;
  if (logId !== expected.logId) throw refused('is of another log');
  if (hash !== expected.hash) throw refused('belongs to a list with other filters or of another caller');
  return { logId, asOf, run, key: { at, id }, total };
};
