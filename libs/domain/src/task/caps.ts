import { DomainError } from '../errors.js';
import type { Task } from './state.js';

/** Events of one task, and bytes of their JSON; from then on messages and artifacts are refused. */
export const taskEventsMax = 100_000;
export const taskBytesMax = 256 * 1024 * 1024;

const full = (task: Task, limit: number, unit: string): DomainError =>
  new DomainError(
    'payload-too-large',
    `task ${task.taskId} holds ${String(limit)} ${unit}, the most a task may hold`,
    {
      taskId: task.taskId,
      limit,
    },
  );

/** Transitions and cancels always pass, so that a full task can still be ended. */
export const assertRoom = (task: Task): void => {
  if (task.revision + 1 >= taskEventsMax) throw full(task, taskEventsMax, 'events');
  if (task.bytes >= taskBytesMax) throw full(task, taskBytesMax, 'bytes');
};
