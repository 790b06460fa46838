import { lockFolder, openEmbeddedStore, type EventStore } from '#event-store';
import type { LedgerConfig } from '../config/config.js';
import type { Metrics } from '../observe/metrics.js';
import type { Opened } from '../start/opened.js';
import { openFolder } from './data-folder.js';

/** What this process has on its own disk, and nobody else may have at the same time. */
export interface Local {
  /** Where files are; absent where everything is on servers. */
  readonly folder?: string;
  /** The embedded store; absent where events are on a server. */
  readonly store?: EventStore;
}

/** How long a starter waits for the process that has the folder, as it would for an embedded log. Milliseconds. */
const lockMsMax = 5_000;

/** Views in files belong to one process, wherever its events are. */
const lockedFolder = async (folder: string): Promise<{ close(): Promise<void> }> => {
  const lock = await lockFolder(folder, lockMsMax);
  return {
    close: () => {
      lock.release();
      return Promise.resolve();
    },
  };
};

/** @throws ConfigError, FolderInUseError */
export const openLocal = async (config: LedgerConfig, metrics: Metrics, opened: Opened): Promise<Local> => {
  if (config.views.kind === 'postgres') return {};
  const folder = await openFolder(config.dataDir);
  if (config.eventStore.kind === 'eventstoredb') {
    opened.add(await lockedFolder(folder));
    return { folder };
  }
  const onCommit = ({ events }: { readonly events: number }): void => {
    metrics.committed(events);
  };
  return { folder, store: opened.add(await openEmbeddedStore({ folder, onCommit })) };
};
