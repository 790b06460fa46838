import { decodeEvent, type StreamNames } from '#application';
import type { TaskEvent } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { Births } from './births.js';

/**
 * Why an event may have consequences. `link`: a child's stream names a parent; `late`: a link that lost the race
 * against its parent's end; `root`: a cancellation begins at a task; `end`: a task has ended otherwise, and may take
 * children with it; `opening`: of a cancellation of what is below a task, which begins with it, or of the answer to an
 * end, which is completed once it stands, though nobody may live by then for whom it was opened.
 */
export type Meaning = 'link' | 'late' | 'root' | 'end' | 'opening';

/** After one of these, somebody who waits for the task goes on. */
const ends: ReadonlySet<string> = new Set<TaskEvent['type']>([
  'TaskCompleted',
  'TaskFailed',
  'TaskRejected',
  'TaskCanceled',
  'TaskStopped',
]);
export const endsWaiting = (type: string): boolean => ends.has(type) || type === 'CancellationDeclined';

/** Stands in the facts of a root's own event; in what people wrote it may stand as well. */
const stoppedByUser = /"stoppedBy"\s*:\s*"user"/;

const namespaceOf = ({ prefix }: StreamNames): string => prefix.slice(0, -1);

export const decoded = (recorded: RecordedEvent, names: StreamNames) =>
  decodeEvent(recorded, namespaceOf(names));

const hasParent = (recorded: RecordedEvent, names: StreamNames): boolean => {
  if (!recorded.data.includes('"parent"')) return false;
  const read = decoded(recorded, names);
  return read.kind === 'task' && read.event.type === 'TaskSubmitted' && read.event.data.parent !== undefined;
};

const isDuty = (recorded: RecordedEvent, names: StreamNames): boolean => {
  const read = decoded(recorded, names);
  return (
    read.kind === 'cancellation' &&
    read.event.type === 'CancellationOpened' &&
    (read.event.data.descendantsOnly || read.event.data.parentEnded === true)
  );
};

/**
 * What an event may mean, by its type first: almost none is decoded.
 * @param births of the tasks that were born before it; without them every end may mean something
 */
export const meaningOf = (
  recorded: RecordedEvent,
  names: StreamNames,
  births?: Births,
): Meaning | undefined => {
  const { type, stream } = recorded;
  const taskId = names.taskIdOf(stream);
  if (taskId === undefined) {
    if (type === 'LateChildLinked') return 'late';
    return type === 'CancellationOpened' && isDuty(recorded, names) ? 'opening' : undefined;
  }
  switch (type) {
    case 'TaskSubmitted':
      births?.born(taskId);
      return hasParent(recorded, names) ? 'link' : undefined;
    case 'ParentAssigned':
      return 'link';
    case 'ChildLinked':
      births?.linked(taskId, recorded);
      return undefined;
    case 'CancellationRequested':
      return stoppedByUser.test(recorded.data) ? 'root' : undefined;
    case 'TaskCanceled':
      births?.ended(taskId);
      return stoppedByUser.test(recorded.data) ? 'root' : undefined;
    default:
      return ends.has(type) && births?.ended(taskId) !== false ? 'end' : undefined;
  }
};
