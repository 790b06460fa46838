import {
  emptyDocument,
  evolveDocumentAll,
  foldVersion,
  type MessageEntry,
  type Task,
  type TaskDocument,
} from '#domain';
import type { TaskView } from '../application.js';
import type { Fold, HotFolds } from '../folds/hot-folds.js';
import { answersOld, reaches, shortEventsMax, type TaskLoader } from '../folds/task-loader.js';
import type { Snapshots, SnapshotWithDocument } from '../ports/snapshots.js';
import { isStoreAway } from '../store/failures.js';

export interface DocumentParts {
  readonly loader: TaskLoader;
  readonly hot: HotFolds;
  readonly snapshots?: Snapshots;
  readonly soleWriter: boolean;
}

/** The newest `messages` entries of the history, and the status message, which is not history yet. */
const newestMessages = (task: Task, document: TaskDocument, messages: number): TaskDocument => {
  const isStatus = ({ revision }: MessageEntry): boolean =>
    task.statusHasMessage && revision === task.statusRevision;
  const surplus = document.messages.filter((entry) => !isStatus(entry)).length - messages;
  if (surplus <= 0) return document;
  let left = surplus;
  const kept = document.messages.filter((entry) => {
    if (left === 0 || isStatus(entry)) return true;
    left -= 1;
    return false;
  });
  return { ...document, messages: kept };
};

const eventsAfter = ({ tail }: Fold, revision: number) =>
  tail.filter(({ event }) => event.revision > revision).map(({ event }) => event);

const beginsAtBirth = ({ tail }: Fold): boolean => tail[0]?.event.revision === 0;

/** Reads a task with its content: the view's rows and the events after them, from the hot fold or from the log. */
export class Documents {
  constructor(private readonly parts: DocumentParts) {}

  /** Undefined: no such task. `stale`: the log could not be asked. */
  async read(taskId: string, messages: number): Promise<TaskView | undefined> {
    const view = await this.#read(taskId, messages);
    return view && { ...view, document: newestMessages(view.task, view.document, messages) };
  }

  async #read(taskId: string, messages: number): Promise<TaskView | undefined> {
    try {
      const fold = this.#hot(taskId) ?? (await this.parts.loader.fromStore(taskId));
      if (fold === undefined) return undefined;
      if (beginsAtBirth(fold) && fold.tail.length <= 2 * shortEventsMax) return fromBirth(fold);
      const snapshot = await this.#snapshot(taskId, messages);
      // Asked anew: the fold may have moved on meanwhile.
      const view = this.#fromFold(this.#hot(taskId) ?? fold, snapshot);
      if (view !== undefined) return view;
      const read = await this.#fromLog(taskId, snapshot);
      // A server that was deposed meanwhile answers from its old log for a moment.
      if (!reaches(read, fold.task.revision)) throw answersOld(taskId);
      return read;
    } catch (error) {
      const snapshot = isStoreAway(error) ? await this.#snapshot(taskId, messages) : undefined;
      if (snapshot === undefined) throw error;
      return { task: snapshot.task, document: snapshot.document, stale: true };
    }
  }

  /** Where others write too, only the log knows what is current. */
  #hot(taskId: string): Fold | undefined {
    return this.parts.soleWriter ? this.parts.hot.get(taskId) : undefined;
  }

  async #snapshot(taskId: string, messages: number): Promise<SnapshotWithDocument | undefined> {
    // One more than asked for: the status message counts as one.
    const snapshot = await this.parts.snapshots?.loadDocument(taskId, { messages: messages + 1 });
    return snapshot?.foldVersion === foldVersion && snapshot.task.unreadable === undefined
      ? snapshot
      : undefined;
  }

  /** Without a read of the store, where the fold reaches back to what the view has. */
  #fromFold(fold: Fold, snapshot: SnapshotWithDocument | undefined): TaskView | undefined {
    if (snapshot === undefined) return beginsAtBirth(fold) ? fromBirth(fold) : undefined;
    const { task, document } = snapshot;
    const { taskId } = task;
    // A view that is ahead of the fold: something was missed.
    if (task.revision > fold.task.revision) this.parts.hot.drop(taskId);
    const there = fold.tail.find(({ event }) => event.revision === task.revision);
    if (there === undefined) return undefined;
    if (there.event.id !== task.lastEventId) {
      this.parts.loader.distrust(taskId, task);
      return beginsAtBirth(fold) ? fromBirth(fold) : undefined;
    }
    const newer = eventsAfter(fold, task.revision);
    const view = {
      task: fold.task,
      document: newer.length === 0 ? document : evolveDocumentAll(document, newer),
    };
    this.parts.hot.forgetBefore(taskId, task.revision);
    return view;
  }

  async #fromLog(taskId: string, snapshot: SnapshotWithDocument | undefined): Promise<TaskView | undefined> {
    const onto = snapshot && (await this.parts.loader.foldOnto(taskId, snapshot));
    const { task, document } = onto ?? (await this.parts.loader.replay(taskId, () => true));
    return task && { task, document: document ?? emptyDocument };
  }
}

const fromBirth = (fold: Fold): TaskView => ({
  task: fold.task,
  document: evolveDocumentAll(
    undefined,
    fold.tail.map(({ event }) => event),
  ),
});
