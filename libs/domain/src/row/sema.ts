import type { LedgerRow, Loss, RowStatus } from './row.js';

// sema's mapping between a ledger row and A2A, kept literally. It knows nothing of what our rows keep beside the
// five words, so it is lossy where sema is.

/** sema's names of the A2A states (those of A2A 0.3), in sema's order. */
export const semaStates = [
  'submitted',
  'working',
  'input-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'auth-required',
  'unknown',
] as const;
export type SemaState = (typeof semaStates)[number];

const stateOf = {
  running: 'working',
  parked: 'input-required',
  completed: 'completed',
  failed: 'failed',
  killed: 'failed',
} as const satisfies Record<RowStatus, SemaState>;

/** Row to A2A: killed is canceled when a user or the parent did it, and failed otherwise. */
export const semaStateOf = ({ status, stoppedBy }: Pick<LedgerRow, 'status' | 'stoppedBy'>): SemaState =>
  status === 'killed' && (stoppedBy === 'user' || stoppedBy === 'parent') ? 'canceled' : stateOf[status];

/** The row that an A2A state becomes, and what it loses on the way. */
export interface SemaRow {
  readonly status: RowStatus;
  readonly lossy: boolean;
  readonly losses: readonly Loss[];
}

const exact = (status: RowStatus): SemaRow => ({ status, lossy: false, losses: [] });
const lossy = (status: RowStatus, field: string, note: string): SemaRow => ({
  status,
  lossy: true,
  losses: [{ field, note }],
});

const rows = {
  submitted: lossy(
    'running',
    'status',
    'no status says accepted but not started; a row appears only once its child runs',
  ),
  working: exact('running'),
  'input-required': exact('parked'),
  completed: exact('completed'),
  canceled: lossy('killed', 'stoppedBy', 'attribution lives in stoppedBy; a state alone cannot carry it'),
  failed: exact('failed'),
  rejected: lossy('failed', 'admitted', 'rejection comes before any row; that it was never admitted is lost'),
  'auth-required': lossy(
    'failed',
    'checkpointToken',
    'parked needs the token of a checkpoint, and this has none; it becomes terminal and cannot be resumed',
  ),
  unknown: lossy(
    'failed',
    'status',
    'means that the outcome cannot be seen; the row claims a failure nobody recorded',
  ),
} as const satisfies Record<SemaState, SemaRow>;

/** A2A to row. */
export const semaRowOf = (state: SemaState): SemaRow => rows[state];
