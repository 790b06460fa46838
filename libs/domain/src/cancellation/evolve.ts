import type { Recorded } from '../task/events.js';
import { later } from '../time.js';
import type { CancellationEvent } from './events.js';
import type { CancellationLog } from './log.js';

export type RecordedCancellationEvent = Recorded<CancellationEvent>;

type Opened = RecordedCancellationEvent & { readonly type: 'CancellationOpened' };
type Repeated = RecordedCancellationEvent & { readonly type: 'CancellationRepeated' };

const begin = ({ data, revision, id, metadata }: Opened): CancellationLog => {
  const { at, content, ...facts } = data;
  const { reason, metadata: said } = content.body;
  return {
    ...facts,
    revision,
    lastEventId: id,
    updatedAt: at,
    ...(reason !== undefined && { reason }),
    ...(said !== undefined && { metadata: said }),
    repeats: [],
    tenant: metadata.tenant,
    owner: metadata.owner,
  };
};

const repeated = (log: CancellationLog, { data, revision, id }: Repeated): CancellationLog => ({
  ...log,
  revision,
  lastEventId: id,
  updatedAt: later(log.updatedAt, data.at),
  repeats: [...log.repeats, { eventId: id, at: data.at, taskId: data.taskId, by: data.by }],
});

/**
 * Moves the fold of a cancellation on by one event. Total: a stream that does not begin with its opening is as good
 * as not opened.
 */
export const evolveCancellation = (
  log: CancellationLog | undefined,
  event: RecordedCancellationEvent,
): CancellationLog | undefined => {
  if (log === undefined) return event.type === 'CancellationOpened' ? begin(event) : undefined;
  if (event.revision <= log.revision || event.type === 'CancellationOpened') return log;
  return repeated(log, event);
};
