import type { Operation } from '../checker/operations.js';

const outcomeOf = ({ answer }: Operation): string =>
  answer.kind === 'refused' ? answer.refusal.code : answer.kind;

const isStale = ({ kind, answer }: Operation): boolean =>
  kind !== 'write' && answer.kind === 'done' && 'stale' in answer.said && answer.said.stale;

/** How many operations ended how. */
export const figuresOf = (operations: readonly Operation[]): Record<string, number> => {
  const figures: Record<string, number> = { operations: operations.length };
  const count = (name: string): void => {
    figures[name] = (figures[name] ?? 0) + 1;
  };
  for (const operation of operations) {
    count(`${operation.kind} ${outcomeOf(operation)}`);
    if (isStale(operation)) count(`${operation.kind} stale`);
  }
  return figures;
};
