import type { CancelMode } from '#domain';
import type { EventStore } from '#event-store';
import type { CancellationRoots } from './ports/cancellation-roots.js';
import type { Clock, Ids } from './ports/clock.js';
import type { Snapshots } from './ports/snapshots.js';
import type { LedgerLogger, LedgerMetrics } from './ports/telemetry.js';

export interface LedgerOptions {
  readonly store: EventStore;
  readonly snapshots?: Snapshots;
  readonly cancellationRoots?: CancellationRoots;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Letters and digits. */
  readonly namespace: string;
  /** Memory for hot folds; 0 = off. */
  readonly hotFoldsMiB: number;
  /**
   * No other process appends to this log (the embedded store): a hot fold is the truth. Default true. Otherwise what
   * is answered without an append is confirmed by a read, and reads of one task always ask the log.
   */
  readonly soleWriter?: boolean;
  /** Called with the store's position of every acknowledged append: lists wait for it. */
  readonly appended?: (position: string) => void;
  /** Called with the store's position of what the live subscription has brought: lists wait for that too. */
  readonly seen?: (position: string) => void;
  /** Of a cancel that does not say; default immediate. */
  readonly cancelMode?: CancelMode;
  readonly logger?: LedgerLogger;
  readonly metrics?: Partial<LedgerMetrics>;
}

/** What is spared and kept, for tests and the operator. */
export interface LedgerCounters {
  /** Reads of single streams that the store was asked for. */
  readonly streamReads: number;
  readonly hotHits: number;
  readonly hotMisses: number;
  readonly hotFolds: number;
  /** Bytes of JSON that they count as. */
  readonly hotBytes: number;
}
