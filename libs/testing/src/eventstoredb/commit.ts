import type { EventLog, LogRecord, NewRecord } from './log.js';
import { startingAt } from './stream-settings.js';
import { randomUUID } from 'node:crypto';

export type Expected = number | 'any' | 'no_stream' | 'stream_exists';

export interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly NewRecord[];
}

export type Committed =
  | { readonly outcome: 'success'; readonly revision: number; readonly position: number }
  /** -1 when the stream is missing. */
  | { readonly outcome: 'wrong-expected'; readonly current: number }
  | { readonly outcome: 'deleted' };

type Decision =
  | { readonly kind: 'write' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'deleted' }
  /** The same ids were written before: the last of them. */
  | { readonly kind: 'repeated'; readonly record: LogRecord };

const write: Decision = { kind: 'write' };
const wrong: Decision = { kind: 'wrong' };

const revisionOf = (expected: number | 'no_stream'): number => (expected === 'no_stream' ? -1 : expected);

/** Repeats without a revision are known by where each id was written last. */
const decideByIds = (log: EventLog, { stream, events }: Append): Decision => {
  const found = events
    .map(({ id }) => log.findId(id))
    .map((record) => (record?.stream === stream ? record : undefined));
  if (found[0] === undefined) return write;
  const last = found.at(-1);
  return found.includes(undefined) || last === undefined ? wrong : { kind: 'repeated', record: last };
};

/** A repeat at an exact revision must be what stands right behind that revision, id by id; bodies do not count. */
const decideBehind = (log: EventLog, { stream, events }: Append, expected: number): Decision => {
  const records = log.stream(stream);
  const same = events.findIndex(({ id }, offset) => records[expected + 1 + offset]?.id !== id);
  if (same === 0 && expected === -1 && log.isSoftDeleted(stream)) return write;
  const last = records[expected + events.length];
  return same !== -1 || events.length === 0 || last === undefined
    ? wrong
    : { kind: 'repeated', record: last };
};

/** What a real server makes of an append, before anything is written. */
export const decide = (log: EventLog, append: Append): Decision => {
  const { stream, expected } = append;
  if (log.isTombstoned(stream)) return { kind: 'deleted' };
  const current = log.currentRevision(stream);
  if (expected === 'stream_exists') {
    if (log.isSoftDeleted(stream)) return { kind: 'deleted' };
    if (current < 0 && log.currentRevision(`$$${stream}`) < 0) return wrong;
  }
  if (expected === 'any' || expected === 'stream_exists') return decideByIds(log, append);
  const revision = revisionOf(expected);
  if (revision < current) return decideBehind(log, append, revision);
  return revision > current ? wrong : write;
};

const writeAppend = (log: EventLog, { stream, events }: Append): Committed => {
  const wasSoftDeleted = log.isSoftDeleted(stream);
  const next = log.currentRevision(stream) + 1;
  const last = log.write(stream, events).at(-1);
  // Nothing to write still succeeds, and says revision 0 of a stream that is missing.
  if (last === undefined)
    return { outcome: 'success', revision: Math.max(next - 1, 0), position: log.writeNothing() };
  if (wasSoftDeleted) log.write(`$$${stream}`, [metadataEvent(startingAt(next))]);
  return { outcome: 'success', revision: last.revision, position: last.position };
};

/** A `$metadata` event of this body. */
export const metadataEvent = (data: Uint8Array): NewRecord => ({
  id: randomUUID(),
  type: '$metadata',
  isJson: true,
  data,
  metadata: new Uint8Array(),
});

/**
 * Decides and writes in one step.
 *
 * @throws LogFullError beyond the limits of the log.
 */
export const commit = (log: EventLog, append: Append): Committed => {
  const decision = decide(log, append);
  switch (decision.kind) {
    case 'deleted':
      return { outcome: 'deleted' };
    case 'wrong':
      return { outcome: 'wrong-expected', current: log.currentRevision(append.stream) };
    case 'repeated':
      return { outcome: 'success', revision: decision.record.revision, position: decision.record.position };
    case 'write':
      return writeAppend(log, append);
  }
};
