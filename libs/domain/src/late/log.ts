/** What decisions need to know of a stream `late-<taskId>`. Plain JSON. */
export interface LateLog {
  readonly revision: number;
  readonly lastEventId: string;
  readonly updatedAt: string;
  /** Event ids of the updates recorded as refused: an id alone, written again at a new revision, is no duplicate. */
  readonly refusedIds: readonly string[];
  readonly childIds: readonly string[];
  readonly notedCancellationIds: readonly string[];
}
