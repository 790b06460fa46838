import type { CancellationEvent, CancellationEventType } from '../cancellation/events.js';
import type { LateEvent, LateEventType } from '../late/events.js';
import type { LogEvent } from '../log/events.js';
import { at, cancellationContent, occurredAt, relative, request, requestedBy } from './parts.js';
import { readerOf, type Readable } from './read.js';
import { content, flag, id, instant, object, oneOf, revision, shape, text } from './shape.js';

const late: Readonly<Record<LateEventType, Readable>> = {
  LateUpdateRefused: {
    check: shape(
      {
        ...at,
        taskId: id,
        attempted: oneOf('transition', 'artifact'),
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
      { rootRevision: revision },
    ),
  },
  CancellationRepeated: {
    check: shape({ ...at, taskId: id, by: requestedBy, content: cancellationContent }),
  },
};

/** Reads the body of an event of a stream `late-<taskId>`. */
export const readLateEvent = readerOf<LateEvent>(late);

/** Reads the body of an event of a stream `cancellation-<cancellationId>`. */
export const readCancellationEvent = readerOf<CancellationEvent>(cancellation);

/** Reads the body of the log's own event. */
export const readLogEvent = readerOf<LogEvent>({ LogOpened: { check: shape({ ...at, logId: id }) } });
