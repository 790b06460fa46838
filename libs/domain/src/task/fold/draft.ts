import type { RecordedTaskEvent, TaskEvent, TaskEventType } from '../events.js';
import type { Task } from '../state.js';

/** A task while it is being folded: the copy that one event makes, seen by nobody else yet. */
export type Draft = { -readonly [Key in keyof Task]: Task[Key] };

export type RecordedOf<Type extends TaskEventType> = RecordedTaskEvent & Extract<TaskEvent, { type: Type }>;

/** A copy without some members. Not `delete`: that would make every later copy of the task slow. */
export const without = (draft: Draft, keys: readonly (keyof Draft)[]): Draft =>
  keys.some((key) => Object.hasOwn(draft, key))
    ? (Object.fromEntries(
        Object.entries(draft).filter(([key]) => !keys.includes(key as keyof Draft)),
      ) as Draft)
    : draft;
