import { type Caller, invalid, isTaskState } from '#domain';
import type { CancellationFilter, CancellationStatus, ListFilter } from '../reading.js';
import type { Scope } from '../store/index.js';

/** A user sees what is his own; agents and operators see their tenant. */
export const scopeOf = ({ tenant, principal, role }: Caller): Scope =>
  role === 'user' ? { tenant, owner: principal } : { tenant };

const instant = (field: 'statusAfter' | 'updatedAfter' | 'since', text: string): string => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw invalid(field, 'must be an instant in ISO 8601');
  return time.toISOString();
};

/** The filter in one form, so that the same list always has the same token. */
export const normalized = (filter: ListFilter): ListFilter => {
  const { states, statusAfter, updatedAfter, ...rest } = filter;
  if (states?.some((state) => !isTaskState(state)) === true)
    throw invalid('states', 'names an unknown state');
  return {
    ...rest,
    ...(states !== undefined && { states: [...new Set(states)].sort() }),
    ...(statusAfter !== undefined && { statusAfter: instant('statusAfter', statusAfter) }),
    ...(updatedAfter !== undefined && { updatedAfter: instant('updatedAfter', updatedAfter) }),
  };
};

const cancellationStatuses: readonly CancellationStatus[] = ['running', 'settled', 'confirmed'];

/** As {@link normalized}, for cancellations. */
export const normalizedCancellations = ({ since, ...rest }: CancellationFilter): CancellationFilter => {
  if (rest.status !== undefined && !cancellationStatuses.includes(rest.status))
    throw invalid('status', `must be one of ${cancellationStatuses.join(', ')}`);
  return { ...rest, ...(since !== undefined && { since: instant('since', since) }) };
};
