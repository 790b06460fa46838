import type { TaskRow } from './rows.js';
import type { ContextGrowth } from './statements/context-totals.js';
import type { Counted } from './statements/writes.js';

/** One line a scope, however many tasks of it the batch brought. */
export const countedOf = (inserted: readonly TaskRow[]): readonly Counted[] => {
  const counted = new Map<string, Counted>();
  const add = (line: Omit<Counted, 'tasks'>): void => {
    const key = JSON.stringify(line);
    const known = counted.get(key);
    if (known === undefined) counted.set(key, { ...line, tasks: 1 });
    else known.tasks += 1;
  };
  for (const { tenant, owner } of inserted) {
    add({ kind: 'tenant', tenant, contextId: '', owner: '' });
    add({ kind: 'owner', tenant, contextId: '', owner });
  }
  return [...counted.values()];
};

export const grownContexts = (inserted: readonly TaskRow[]): readonly ContextGrowth[] => {
  const grown = new Map<string, ContextGrowth & { tasks: number }>();
  for (const { tenant, contextId, owner } of inserted) {
    const key = JSON.stringify([tenant, contextId, owner]);
    const known = grown.get(key);
    if (known === undefined) grown.set(key, { tenant, contextId, owner, tasks: 1 });
    else known.tasks += 1;
  }
  return [...grown.values()];
};
