import type { StopCause } from './events.js';

/** Why an agent or operator may say that a task was stopped. `user` and `parent` come from cancellations alone. */
export const stopCauses = [
  'operator',
  'deadline',
  'lease-expired',
  'orphaned',
  'superseded',
  'peer',
  'policy',
  'system',
] as const satisfies readonly StopCause[];

const known: ReadonlySet<unknown> = new Set(stopCauses);

export const isStopCause = (value: unknown): value is StopCause => known.has(value);
