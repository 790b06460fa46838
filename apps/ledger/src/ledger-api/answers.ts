import type { FastifyReply } from 'fastify';
import type { EventFrame, Written } from '#application';

/** `ETag: "<revision>"` on an answer about one task. */
export const tag = (reply: FastifyReply, revision: number): void => {
  void reply.header('etag', `"${String(revision)}"`);
};

/** Marks an answer that newer events may have outdated. */
export const mark = (reply: FastifyReply, stale: boolean | undefined): void => {
  if (stale === true) void reply.header('ledger-stale', 'true');
};

/** Headers of an answer from a view. */
export const fromView = (
  reply: FastifyReply,
  answer: { readonly position: string; readonly stale: boolean },
): void => {
  void reply.header('ledger-position', answer.position);
  mark(reply, answer.stale);
};

/** Headers of a write: where the task stands, and how far a list must have read to show it. */
export const wrote = (reply: FastifyReply, { task, position }: Written): void => {
  tag(reply, task.revision);
  if (position !== undefined) void reply.header('ledger-position', position);
};

/** An event as a page of one task shows it. */
export const pageEvent = ({ revision, id, type, at, occurredAt, data, metadata }: EventFrame): object => ({
  revision,
  id,
  type,
  at,
  ...(occurredAt === undefined ? {} : { occurredAt }),
  data,
  metadata,
});
