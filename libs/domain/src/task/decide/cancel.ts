import { plain } from '../../content.js';
import { invalid } from '../../errors.js';
import { defined } from '../../json.js';
import { assertId } from '../../text/ids.js';
import { later } from '../../time.js';
import type { CancelTask } from '../commands.js';
import type { CancellationRequest, TaskEvent } from '../events.js';
import { assertCancelServed } from '../not-yet.js';
import { isTerminal, type Task } from '../state.js';
import { taskIsTerminal } from './refusals.js';

const requestOf = ({ mode, cascade = true, requestedBy }: CancelTask): CancellationRequest => ({
  mode: mode ?? 'immediate',
  cascade,
  requestedBy,
});

/**
 * A request that is open is answered by this cancel, under its own id, unless this one cascades and that one does
 * not.
 */
const answers = (command: CancelTask, { openCancellation: open }: Task): Task['openCancellation'] =>
  open !== undefined && (open.cascade || command.cascade === false) ? open : undefined;

/** Cancel is idempotent: on a canceled task it changes nothing (C29). */
export const cancel = (command: CancelTask, task: Task): readonly TaskEvent[] => {
  if (command.mode !== undefined && !['immediate', 'cooperative'].includes(command.mode)) {
    throw invalid('mode', 'must be immediate or cooperative');
  }
  assertCancelServed(command);
  assertId(command.cancellationId, 'cancellationId');
  if (task.state === 'canceled') return [];
  if (isTerminal(task.state)) throw taskIsTerminal(task);
  const open = answers(command, task);
  const { reason, metadata } = command;
  return [
    {
      type: 'TaskCanceled',
      data: {
        at: later(command.at, task.updatedAt),
        cancellationId: open?.cancellationId ?? command.cancellationId,
        stoppedBy: open?.stoppedBy ?? 'user',
        request: open?.request ?? requestOf(command),
        content: plain(defined({ reason, metadata })),
      },
    },
  ];
};
