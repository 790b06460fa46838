import { decide, type Task } from '#domain';
import type { TaskWriter } from '../commands/task-writer.js';
import { systemMetadata } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import { stampOf } from '../identity/stamp.js';
import type { CascadeDesk } from '../ports/cascade-desk.js';

type Timer = Parameters<CascadeDesk['fire']>[1];

/**
 * What a timer does when it has run out, decided again on the task as it is now; its id derives from the event that
 * armed it, so that it fires once, whoever looks after it.
 */
export const fireTimer = async (
  { writer, logId }: { readonly writer: TaskWriter; readonly logId: string },
  { taskId, rootTaskId }: Task,
  timer: Timer,
  armedBy: string,
): Promise<void> => {
  const isDeadline = timer.kind === 'deadline';
  const correlationId = isDeadline ? rootTaskId : timer.cancellationId;
  const commandId = nameBasedUuid(['fire', logId, armedBy]);
  await writer.write({
    taskId,
    stamp: (task) => stampOf(systemMetadata(task, { commandId, causeId: armedBy, correlationId })),
    decide: (task, at) =>
      isDeadline
        ? decide({ type: 'EndAtDeadline', at }, task)
        : decide({ type: 'ForceCancellation', at, cancellationId: timer.cancellationId }, task),
    eventId: (_index, { type, data }) => nameBasedUuid([type, logId, taskId, commandId, data.at]),
  });
};
