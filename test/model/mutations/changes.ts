import type { Task, TaskCommand, TaskEvent } from '#domain';
import type { SweepRules } from '#saga';
import type { Rules } from '../rules.js';

export type Change = (rules: Rules) => Rules;
type Visit = SweepRules['visit'];

/** Another verdict on what a cancellation comes to; `real` is what the domain says. */
export const visiting =
  (visit: (real: Visit, ...of: Parameters<Visit>) => ReturnType<Visit>): Change =>
  (rules) => {
    const real = rules.onTheWay.visit;
    return { ...rules, onTheWay: { ...rules.onTheWay, visit: (...of) => visit(real, ...of) } };
  };

/** Another decision on commands of one type. */
export const deciding =
  <Type extends TaskCommand['type']>(
    type: Type,
    decide: (
      real: Rules['decide'],
      command: Extract<TaskCommand, { type: Type }>,
      task: Task | undefined,
    ) => readonly TaskEvent[],
  ): Change =>
  (rules) => ({
    ...rules,
    decide: (command, task) =>
      command.type === type
        ? decide(rules.decide, command as Extract<TaskCommand, { type: Type }>, task)
        : rules.decide(command, task),
  });

/** A task that has ended, as if it had not. */
export const asOpen = (task: Task | undefined): Task | undefined => {
  if (task?.end === undefined) return task;
  const { end: _end, ...open } = task;
  return { ...open, state: 'working' };
};
