import { plain } from '../../content.js';
import type { CarryCancellation, StopOrphan } from '../commands.js';
import type { TaskEvent } from '../events.js';
import { factOn } from '../shelves.js';
import { isTerminal, type Task } from '../state.js';
import {
  cancellationRequested,
  carriedBody,
  isAtWork,
  taskCanceled,
  writtenAt,
} from './cancellation-events.js';

/** Whether this cancellation has nothing to do here any more: the first end stands, and so does a decline of it. */
const isOver = ({ state, requests }: Task, cancellationId: string): boolean =>
  isTerminal(state) || factOn(requests, cancellationId)?.declined !== undefined;

/** An open request shields nothing from a cascade, but a cooperative link waits for it. */
export const carry = (command: CarryCancellation, task: Task): readonly TaskEvent[] => {
  const { cancellationId, manner, graceMs, request, reason } = command;
  if (isOver(task, cancellationId)) return [];
  const carried = { cancellationId, stoppedBy: 'parent', request } as const;
  const at = writtenAt(command, task);
  const body = carriedBody(reason);
  if (manner === 'immediate') return [taskCanceled(carried, at, body)];
  if (task.openCancellation !== undefined) return [];
  if (!isAtWork(task)) return [taskCanceled(carried, at, body)];
  return [cancellationRequested(carried, at, graceMs, body)];
};

export const stopOrphan = (command: StopOrphan, task: Task): readonly TaskEvent[] => {
  const { cancellationId, reason } = command;
  if (isTerminal(task.state)) return [];
  const at = writtenAt(command, task);
  const content = plain(carriedBody(reason));
  return [{ type: 'TaskStopped', data: { at, stoppedBy: 'orphaned', cancellationId, content } }];
};
