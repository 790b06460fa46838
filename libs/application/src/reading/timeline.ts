import { a2aStateOf, type RecordedTaskEvent, type Task, type TaskEvent } from '#domain';
import type { TaskChange, TimelineEntry } from '../application.js';

type Said = Readonly<Record<string, unknown>>;

interface Line {
  readonly kind: TimelineEntry['kind'];
  readonly said: Said;
}

const given = (said: Said): Said =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));

/** What a change of state says beside the states. */
const statusSaid = ({ data }: TaskEvent): Said => {
  const body: Said = 'content' in data ? { ...data.content.body } : {};
  const { message, reason } = body;
  return { message, reason, ...('stoppedBy' in data && { stoppedBy: data.stoppedBy }) };
};

const cancellationSaid = (data: { readonly cancellationId: string }): Said => {
  const { request, content } = data as { request?: { requestedBy: unknown }; content?: { body: Said } };
  return { cancellationId: data.cancellationId, requestedBy: request?.requestedBy, ...content?.body };
};

/** Entry by event type: what the event says, in the words of the API. */
const lineOf = (event: RecordedTaskEvent, before: Task | undefined, task: Task): Line => {
  const states = {
    ...(before && { from: a2aStateOf(before.state, before.stoppedBy) }),
    to: a2aStateOf(task.state, task.stoppedBy),
  };
  switch (event.type) {
    case 'TaskSubmitted': {
      const { message } = event.data.content.body;
      return message === undefined
        ? { kind: 'transition', said: states }
        : { kind: 'message', said: { message } };
    }
    case 'MessageRecorded':
      return { kind: 'message', said: { message: event.data.content.body.message } };
    case 'ArtifactRecorded': {
      const { artifactId, append, lastChunk, content } = event.data;
      return { kind: 'artifact', said: { artifactId, append, lastChunk, artifact: content.body.artifact } };
    }
    case 'ParentAssigned':
      return { kind: 'link', said: { parent: event.data.parent } };
    case 'ChildLinked':
      return { kind: 'link', said: { child: event.data.child } };
    case 'TaskCanceled':
    case 'CancellationRequested':
    case 'CancellationDeclined':
      return { kind: 'cancellation', said: { ...states, ...cancellationSaid(event.data) } };
    default:
      return { kind: 'transition', said: { ...states, ...statusSaid(event) } };
  }
};

/** One entry of a task's history: who did what, and when (C50). */
export const timelineEntryOf = (
  { event, task }: TaskChange,
  before: Task | undefined,
  position: string,
): TimelineEntry => {
  const { kind, said } = lineOf(event, before, task);
  const { principal, role, via } = event.metadata;
  return {
    revision: event.revision,
    at: event.data.at,
    ...('occurredAt' in event.data &&
      event.data.occurredAt !== undefined && { occurredAt: event.data.occurredAt }),
    kind,
    actor: { principal, role, via },
    position,
    type: event.type,
    ...given(said),
  };
};

/** The messages that an event brings, by their ids: where `afterMessage` begins. */
export const bringsMessage = ({ data }: TaskEvent, messageId: string): boolean => {
  if (!('content' in data)) return false;
  const { message } = data.content.body as { message?: { messageId: string } };
  return message?.messageId === messageId;
};
