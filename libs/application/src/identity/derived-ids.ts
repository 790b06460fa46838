import { nameBasedUuid } from './name-based.js';

/** Id of the cancellation with which the ledger answers the end of a task, from the event that ended it. */
export const parentEndCancellationId = (logId: string, taskId: string, endEventId: string): string =>
  nameBasedUuid(['parentEnd', logId, taskId, endEventId]);
