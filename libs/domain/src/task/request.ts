import { invalid } from '../errors.js';
import type { CancelTask } from './commands.js';
import type { CancellationRequest } from './events.js';

/** Milliseconds that a task is given to stop by itself. */
export const graceMsDefault = 30_000;
export const graceMsMin = 1_000;
export const graceMsMax = 86_400_000;

/**
 * @param asks whether there is anything to wait for: the mode, or the policy, is cooperative
 * @throws DomainError `invalid-request` naming the field
 */
export const assertGrace = (graceMs: number | undefined, asks: boolean, field: string): void => {
  if (graceMs === undefined) return;
  if (!asks) throw invalid(field, 'only goes with cooperative');
  if (!Number.isInteger(graceMs) || graceMs < graceMsMin || graceMs > graceMsMax) {
    throw invalid(field, `must be an integer from ${String(graceMsMin)} to ${String(graceMsMax)}`);
  }
};

/**
 * A request as it is recorded: with what was not said.
 * @throws DomainError `invalid-request` naming the field
 */
export const cancellationRequest = ({
  mode = 'immediate',
  graceMs,
  cascade = true,
  requestedBy,
}: Pick<CancelTask, 'mode' | 'graceMs' | 'cascade' | 'requestedBy'>): CancellationRequest => {
  if (!['immediate', 'cooperative'].includes(mode)) throw invalid('mode', 'must be immediate or cooperative');
  assertGrace(graceMs, mode === 'cooperative', 'graceMs');
  if (mode === 'immediate') return { mode, cascade, requestedBy };
  return { mode, graceMs: graceMs ?? graceMsDefault, cascade, requestedBy };
};
