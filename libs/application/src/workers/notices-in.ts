import type { RecordedTaskEvent, TaskEvent } from '#domain';
import type { EventFrame } from '../application.js';
import type { Notice } from './worker-notices.js';

const telling: ReadonlySet<string> = new Set<TaskEvent['type']>([
  'TaskCanceled',
  'CancellationRequested',
  'TaskStopped',
]);

const cancellationIn = (type: string, data: unknown): string | undefined => {
  if (!telling.has(type) || typeof data !== 'object' || data === null) return undefined;
  const { cancellationId } = data as { readonly cancellationId?: unknown };
  return typeof cancellationId === 'string' ? cancellationId : undefined;
};

/** What frames say of cancellations, and of which tasks. */
export const noticesIn = (frames: readonly EventFrame[]): readonly Notice[] =>
  frames.flatMap(({ type, taskId, data }) => {
    const cancellationId = cancellationIn(type, data);
    return cancellationId === undefined || taskId === undefined ? [] : [{ cancellationId, taskId }];
  });

/** What an event of a watched task says of a cancellation. */
export const noticeIn = (taskId: string, { type, data }: RecordedTaskEvent): readonly Notice[] => {
  const cancellationId = cancellationIn(type, data);
  return cancellationId === undefined ? [] : [{ cancellationId, taskId }];
};
