import { later } from '../time.js';
import { resultArtifactId, shelve } from './artifacts.js';
import { addChild, childFact, hasChild } from './children.js';
import type { RecordedTaskEvent } from './events.js';
import { begin } from './fold/begin.js';
import { canceled, declined, requested, stopped } from './fold/cancellation.js';
import type { Draft, RecordedOf } from './fold/draft.js';
import { endFact } from './fold/ending.js';
import { ask, end, leave, say } from './fold/status.js';
import { commandOf, remember } from './known-commands.js';
import { isTerminal, type Task } from './state.js';
import { flagUnreadable } from './unreadable.js';

/** Rises when the same events fold to another task: snapshots of an older version are not used. */
export const foldVersion = 2;

/** Facts that say nothing about the work having been taken up. */
const admitsNothing: ReadonlySet<string> = new Set(['TaskSubmitted', 'MessageRecorded', 'TaskRejected']);

const recordCommand = (draft: Draft, event: RecordedTaskEvent): void => {
  const command = commandOf(event);
  if (command === undefined) return;
  if (command.commandId === draft.createCommand?.commandId) draft.createCommand = command;
  else draft.commands = remember(draft.commands, command);
};

/** What every event moves on, whatever it says. */
const movedOn = (task: Task, event: RecordedTaskEvent): Draft => {
  const draft: Draft = { ...task };
  draft.revision = event.revision;
  draft.lastEventId = event.id;
  draft.updatedAt = later(task.updatedAt, event.data.at);
  draft.bytes = task.bytes + event.bytes;
  recordCommand(draft, event);
  return draft;
};

const recordArtifact = (draft: Draft, { data, revision }: RecordedOf<'ArtifactRecorded'>): void => {
  draft.artifacts = shelve(draft.artifacts, data.artifactId, { revision, lastChunk: data.lastChunk });
  if (data.artifactId === resultArtifactId(draft.taskId)) draft.hasResult = true;
};

const linkChild = (draft: Draft, { data: { child }, revision }: RecordedOf<'ChildLinked'>): void => {
  if (hasChild(draft, child.taskId)) return;
  draft.children = addChild(draft.children, child.taskId, childFact(child, revision));
  draft.childCount += 1;
  if (child.onEnd === 'cascade') draft.endsChildren = true;
};

const assignParent = (draft: Draft, { data }: RecordedOf<'ParentAssigned'>): void => {
  draft.parent = data.parent;
  draft.rootTaskId = data.rootTaskId;
};

/** One line for each event type that a task's stream may hold after its first; the compiler lists what is missing. */
const apply = (draft: Draft, event: RecordedTaskEvent): Draft => {
  switch (event.type) {
    case 'TaskStarted':
    case 'TaskResumed':
      return leave(draft, 'working', event);
    case 'TaskProgressed':
      say(draft, draft.state, event);
      return draft;
    case 'TaskInputRequested':
      return ask(draft, 'input-required', event);
    case 'TaskAuthRequested':
      return ask(draft, 'auth-required', event);
    case 'MessageRecorded':
      return draft;
    case 'ArtifactRecorded':
      recordArtifact(draft, event);
      return draft;
    case 'ParentAssigned':
      assignParent(draft, event);
      return draft;
    case 'ChildLinked':
      linkChild(draft, event);
      return draft;
    case 'CancellationRequested':
      requested(draft, event);
      return draft;
    case 'CancellationDeclined':
      return declined(draft, event);
    case 'TaskCompleted':
      return end(draft, 'completed', event);
    case 'TaskFailed':
      return end(draft, 'failed', event);
    case 'TaskRejected':
      return end(draft, 'rejected', event);
    case 'TaskCanceled':
      return canceled(draft, event);
    case 'TaskStopped':
      return stopped(draft, event);
    default:
      return flagUnreadable(draft, event satisfies RecordedOf<'TaskSubmitted'>);
  }
};

/**
 * Moves a task on by one event of its stream. Total: it never throws on what a reader has accepted and never
 * rejects history. What follows a terminal event moves the revision on and nothing else: the first end stands. An
 * event that was folded before changes nothing; after an unreadable one nothing is folded.
 */
export const evolve = (task: Task | undefined, event: RecordedTaskEvent): Task => {
  if (task === undefined) return event.type === 'TaskSubmitted' ? begin(event) : unread(event);
  if (task.unreadable !== undefined || event.revision <= task.revision) return task;
  if (event.type === 'TaskSubmitted') return flagUnreadable(task, event);
  const draft = movedOn(task, event);
  const { state: from } = task;
  if (isTerminal(from)) return draft;
  if (!draft.admitted) draft.admitted = !admitsNothing.has(event.type);
  const after = apply(draft, event);
  if (isTerminal(after.state)) after.end = endFact(task, from, event);
  return after;
};

/** A stream that does not begin with its first event cannot be folded. */
const unread = (event: RecordedTaskEvent): Task =>
  flagUnreadable(undefined, event, {
    taskId: '',
    id: event.id,
    bytes: event.bytes,
    metadata: event.metadata,
  });

/** {@link evolve} over a page of events. */
export const evolveAll = (task: Task | undefined, events: readonly RecordedTaskEvent[]): Task | undefined =>
  events.reduce<Task | undefined>(evolve, task);
