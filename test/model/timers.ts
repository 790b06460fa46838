import { factsOf } from '#domain';
import { appended, showMove } from './appends.js';
import { commanded, taskAt } from './moves.js';
import type { State, Step } from './state.js';
import { taskIdOf, type Worlds } from './world.js';

/** After every `dueAt`. */
const whenDue = '2026-01-02T12:00:00.000Z';

/** The timer of every request that a task ever had: what it does is decided on the task as it is when it fires. */
export const timerSteps = (worlds: Worlds, state: State, task: number): readonly Step[] => {
  const head = taskAt(state.world, task);
  const { fold } = head;
  if (fold === undefined || fold.end !== undefined || fold.requests.length === 0) return [];
  return factsOf(fold.requests).flatMap(([cancellationId]) => {
    const key = `due/${cancellationId}`;
    const move = commanded(worlds, head, key, () => ({
      type: 'ForceCancellation',
      at: whenDue,
      cancellationId,
    }));
    if (move === undefined) return [];
    return [
      {
        state: appended(worlds, state, move),
        label: () => `the timer of ${taskIdOf(task)}: ${showMove(move)}`,
        optional: false,
      },
    ];
  });
};
