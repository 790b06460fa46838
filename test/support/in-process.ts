import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  type Ledger,
  openLedger,
  openLog,
  positionsOf,
  systemClock,
  systemIds,
} from '#application';
import type { Caller } from '#domain';
import type { EventStore } from '#event-store';
import { openViews, type Views } from '#views';
import type { TestCaller } from './callers.js';

const namespace = 'ledger';

/** Ledger and views in this process, on a store that the test has in its hands. */
export interface LedgerInProcess {
  readonly ledger: Ledger;
  readonly views: Views;
  /** Closes ledger and views; the store stays open. */
  close(): Promise<void>;
}

export interface InProcessOptions {
  readonly clock?: Clock;
  /** Default: in memory. */
  readonly viewsFile?: string;
}

export const openInProcess = async (
  store: EventStore,
  { clock = systemClock, viewsFile = ':memory:' }: InProcessOptions = {},
): Promise<LedgerInProcess> => {
  const logId = await openLog(store, namespace, systemIds, clock);
  const positions = positionsOf(logId);
  const views = await openViews({ file: viewsFile, store, namespace, logId, positions, clock });
  const ledger = await openLedger({
    store,
    snapshots: views.snapshots,
    cancellationRoots: views.reader,
    appended: (position) => {
      views.noteAppended(position);
    },
    clock,
    ids: systemIds,
    namespace,
    hotFoldsMiB: 8,
  });
  views.start();
  return {
    ledger,
    views,
    close: async () => {
      await ledger.close();
      await views.close();
    },
  };
};

/** A folder for one test, removed after it. */
export const withFolder = async <Value>(work: (folder: string) => Promise<Value>): Promise<Value> => {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-int-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export const asCaller = (caller: TestCaller): Caller => ({ ...caller, via: 'ledger-api' });
