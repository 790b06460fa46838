import type { CancellationEvent, CancellationEventType } from '../cancellation/events.js';
import type { LateEvent, LateEventType } from '../late/events.js';
import type { LogEvent } from '../log/events.js';
import { nodeOutcomes } from '../cancellation/node.js';
import { at, cancellationContent, linkPolicy, occurredAt, relative, request, requestedBy } from './parts.js';
import { readerOf, type Readable } from './read.js';
import { content, count, flag, id, instant, listOf, object, oneOf, revision, shape, text } from './shape.js';

const attempted = oneOf('transition', 'artifact');

const late: Readonly<Record<LateEventType, Readable>> = {
  LateUpdateRefused: {
    check: shape(
      {
        ...at,
        taskId: id,
        attempted,
        state: text,
        revision,
        content: content(shape({ update: object }, { truncated: flag })),
      },
      { ...occurredAt, to: text, artifactId: text },
    ),
  },
  LateChildLinked: { check: shape({ ...at, parentTaskId: id, child: relative }) },
  DescendantsCancellationNoted: { check: shape({ ...at, cancellationId: id }) },
};

const nodePlace = { taskId: id, depth: revision, reachedAt: instant };
const nodeLink = { parentTaskId: id, policy: linkPolicy, late: flag };

const settledNode = shape(
  {
    ...nodePlace,
    outcome: oneOf(...nodeOutcomes),
    settledAt: instant,
    worker: oneOf('none', 'unnotified', 'acknowledged'),
    attempts: count,
  },
  { ...nodeLink, by: id, revision, acknowledgedBy: text, lastError: text },
);
const waitingNode = shape(nodePlace, { ...nodeLink, dueAt: instant });

const cancellation: Readonly<Record<CancellationEventType, Readable>> = {
  CancellationOpened: {
    check: shape(
      {
        ...at,
        cancellationId: id,
        rootTaskId: id,
        requestedAt: instant,
        request,
        descendantsOnly: flag,
        content: cancellationContent,
      },
      { rootRevision: revision, parentEnded: flag },
    ),
  },
  CancellationRepeated: {
    check: shape({ ...at, taskId: id, by: requestedBy, content: cancellationContent }),
  },
  NodeWaiting: { check: shape({ ...at, node: waitingNode }) },
  NodesSettled: { check: shape({ ...at, nodes: listOf(settledNode) }) },
  CancellationSettled: { check: shape(at) },
  WorkersNotified: { check: shape({ ...at, taskIds: listOf(id), to: text, through: text }) },
  WorkerAcknowledged: {
    check: shape({ ...at, taskId: id, by: requestedBy, content: content(shape({}, { note: text })) }),
  },
  WorkerWroteLate: { check: shape({ ...at, taskId: id, principal: text, attempted }) },
  CancellationConfirmed: { check: shape(at) },
};

/** Reads the body of an event of a stream `late-<taskId>`. */
export const readLateEvent = readerOf<LateEvent>(late);

/** Reads the body of an event of a stream `cancellation-<cancellationId>`. */
export const readCancellationEvent = readerOf<CancellationEvent>(cancellation);

/** Reads the body of the log's own event. */
export const readLogEvent = readerOf<LogEvent>({ LogOpened: { check: shape({ ...at, logId: id }) } });
