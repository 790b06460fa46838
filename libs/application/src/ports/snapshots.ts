import type { Task, TaskDocument } from '#domain';

/** A task as a view holds it: a fold up to `task.revision`, the id of the event there is `task.lastEventId`. */
export interface Snapshot {
  readonly foldVersion: number;
  readonly task: Task;
}

export interface SnapshotWithDocument extends Snapshot {
  readonly document: TaskDocument;
}

/**
 * Snapshots that spare the reading of whole streams. Never trusted: a reader compares the event at
 * `task.revision` with `task.lastEventId` and folds from 0 on a mismatch.
 */
export interface Snapshots {
  /** The fold alone, for decisions. Undefined when there is none (or it is of another fold version). */
  load(taskId: string): Promise<Snapshot | undefined>;

  /**
   * Fold, messages and artifacts of one moment. `messages`: at most that many of the newest ones (a status message
   * counts as one).
   */
  loadDocument(taskId: string, options: { messages: number }): Promise<SnapshotWithDocument | undefined>;

  /** A snapshot that did not agree with the log: the view is marked, for the operator and for a rebuild. */
  distrust(taskId: string, detail: string): void;
}
