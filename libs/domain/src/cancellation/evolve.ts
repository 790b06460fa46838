import type { Recorded } from '../task/events.js';
import { later } from '../time.js';
import type { CancellationEvent, CancellationEventData } from './events.js';
import { awaitNode, noNodes, settleLines } from './fold/nodes.js';
import { acknowledged, noWorkers, notified, wroteLate } from './fold/workers.js';
import type { CancellationLog } from './log.js';

export type RecordedCancellationEvent = Recorded<CancellationEvent>;

type Opened = RecordedCancellationEvent & { readonly type: 'CancellationOpened' };
/** What may follow the opening. */
export type CancellationFact = Exclude<CancellationEvent, { readonly type: 'CancellationOpened' }>;

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
    ...noNodes,
    ...noWorkers,
    status: 'running',
    wasSettled: false,
    tenant: metadata.tenant,
    owner: metadata.owner,
  };
};

const repeated = (
  log: CancellationLog,
  { at, taskId, by }: CancellationEventData['CancellationRepeated'],
  eventId: string,
): CancellationLog => ({ ...log, repeats: [...log.repeats, { eventId, at, taskId, by }] });

/** A line may still be due: whatever was settled or confirmed is so no more. */
const reopened = (log: CancellationLog): CancellationLog => {
  const { settledAt: _settledAt, confirmedAt: _confirmedAt, ...facts } = log;
  return { ...facts, status: 'running' };
};

/** Settled once more without a line in between, it is not confirmed any more: each is said by its own event. */
const settled = (log: CancellationLog, settledAt: string): CancellationLog => ({
  ...reopened(log),
  status: 'settled',
  wasSettled: true,
  settledAt,
});

const confirmed = (log: CancellationLog, confirmedAt: string): CancellationLog => ({
  ...log,
  status: 'confirmed',
  confirmedAt,
});

/** What an event says of the cancellation, wherever it stands; ids of events matter to repeats alone. */
export const applyFact = (
  log: CancellationLog,
  event: CancellationFact,
  eventId: string,
): CancellationLog => {
  switch (event.type) {
    case 'CancellationRepeated':
      return repeated(log, event.data, eventId);
    case 'NodeWaiting':
      return reopened(awaitNode(log, event.data.node));
    case 'NodesSettled':
      return reopened(settleLines(log, event.data.nodes));
    case 'CancellationSettled':
      return settled(log, event.data.at);
    case 'WorkersNotified':
      return notified(log, event.data);
    case 'WorkerAcknowledged':
      return acknowledged(log, event.data);
    case 'WorkerWroteLate':
      return wroteLate(log, event.data);
    case 'CancellationConfirmed':
      return confirmed(log, event.data.at);
  }
};

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
  const { revision, id: lastEventId } = event;
  const updatedAt = later(log.updatedAt, event.data.at);
  return { ...applyFact(log, event, lastEventId), revision, lastEventId, updatedAt };
};
