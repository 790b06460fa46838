import { isJsonObject } from '../json.js';
import type { TaskEvent, TaskEventType } from '../task/events.js';
import {
  artifact,
  at,
  cancelCause,
  cancellationContent,
  link,
  message,
  occurredAt,
  questionAsked,
  relative,
  request,
  role,
  statusChange,
  statusContent,
  stopCause,
} from './parts.js';
import { readerOf, type Readable } from './read.js';
import { content, flag, id, instant, object, shape, text, type Check } from './shape.js';

const submitted = shape(
  {
    ...at,
    taskId: id,
    contextId: id,
    rootTaskId: id,
    content: content(shape({}, { message, metadata: object, askSchema: object })),
  },
  { link, parent: relative, deadline: instant, messageId: id },
);

const artifactShape = shape(
  { ...at, artifactId: id, append: flag, lastChunk: flag, content: content(shape({ artifact })) },
  occurredAt,
);

/** Decisions go by the id beside the content, documents by the one inside: they must be one. */
const artifactRecorded: Check = (value) => {
  const error = artifactShape(value);
  if (error !== undefined || !isJsonObject(value)) return error;
  const { body } = value.content as unknown as { body: { artifact: { artifactId: string } } };
  return body.artifact.artifactId === value.artifactId
    ? undefined
    : 'artifactId must be that of the artifact';
};

const types: Readonly<Record<TaskEventType, Readable>> = {
  TaskSubmitted: { check: submitted },
  TaskStarted: { check: statusChange },
  TaskProgressed: { check: statusChange },
  TaskInputRequested: { check: questionAsked },
  TaskAuthRequested: { check: questionAsked },
  TaskResumed: { check: statusChange },
  MessageRecorded: { check: shape({ ...at, messageId: id, role, content: content(shape({ message })) }) },
  ArtifactRecorded: { check: artifactRecorded },
  ParentAssigned: { check: shape({ ...at, parent: relative, rootTaskId: id }) },
  ChildLinked: { check: shape({ ...at, child: relative }) },
  CancellationRequested: {
    check: shape(
      { ...at, cancellationId: id, request, stoppedBy: cancelCause, content: cancellationContent },
      { dueAt: instant },
    ),
  },
  CancellationDeclined: {
    check: shape({ ...at, cancellationId: id, content: content(shape({}, { note: text })) }),
  },
  TaskCompleted: { check: statusChange },
  TaskFailed: { check: statusChange },
  TaskRejected: { check: statusChange },
  TaskCanceled: {
    check: shape(
      { ...at, cancellationId: id, stoppedBy: cancelCause, request, content: cancellationContent },
      { forced: flag, acknowledged: flag },
    ),
  },
  TaskStopped: {
    check: shape(
      { ...at, stoppedBy: stopCause, content: statusContent },
      { ...occurredAt, cancellationId: id },
    ),
  },
};

/** Reads the body of an event of a task's stream. */
export const readTaskEvent = readerOf<TaskEvent>(types);
