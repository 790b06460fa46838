import type { Task as WireTask } from '@a2a-js/sdk';
import type { TaskReader } from '#application';
import { historyLengthDefault, historyLengthMax, wireTask } from '../rendering/task.js';
import type { LedgerCallContext } from './call-context.js';

/** At most {@link historyLengthMax}; undefined stays undefined. */
export const historyLengthOf = (asked: number | undefined): number | undefined =>
  asked === undefined ? undefined : Math.min(asked, historyLengthMax);

/** Messages to load for an answer: its history, and the message of the current status, which is no part of it. */
export const messagesToLoad = (historyLength: number | undefined): number =>
  (historyLengthOf(historyLength) ?? historyLengthDefault) + 1;

/** The task as it is now, with the newest of its messages. */
export const readWireTask = async (
  reader: TaskReader,
  call: LedgerCallContext,
  taskId: string,
  asked: number | undefined,
): Promise<WireTask> => {
  const view = await reader.read(call.caller, taskId, { messages: messagesToLoad(asked) });
  if (view.stale === true) call.stale = true;
  return wireTask(view.task, view.document, { historyLength: historyLengthOf(asked) });
};
