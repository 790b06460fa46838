import type { Shelves } from '../task/shelves.js';
import type { ChildFact } from '../task/state.js';

/** What decisions need to know of a stream `late-<taskId>`. Plain JSON. */
export interface LateLog {
  readonly revision: number;
  readonly lastEventId: string;
  readonly updatedAt: string;
  /** Event ids of the updates recorded as refused: an id alone, written again at a new revision, is no duplicate. */
  readonly refusedIds: readonly string[];
  /** Children whose link lost the race against the task's end. */
  readonly children: Shelves<ChildFact>;
  readonly childCount: number;
  /** Cancellations of the descendants only that passed this task. */
  readonly notedCancellationIds: readonly string[];
}
