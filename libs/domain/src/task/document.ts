import type { Artifact, Message } from '../content.js';
import type { JsonObject } from '../json.js';

/** A message of a task with the revision that brought it. Status messages stand here too, at their own revision. */
export interface MessageEntry {
  readonly revision: number;
  readonly message: Message;
}

/**
 * The content of a task: what it shows beside its state. Folded from the same events as {@link Task}; history is
 * `messages` without the message of the current status event. `messages` may be cut at its old end.
 */
export interface TaskDocument {
  readonly metadata?: JsonObject;
  readonly messages: readonly MessageEntry[];
  /** First-seen order; parts of appended chunks joined in append order. */
  readonly artifacts: readonly Artifact[];
  /** The reason given with the terminal event, or with the cancellation. */
  readonly reason?: string;
}
