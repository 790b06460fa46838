import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { openLedger, openLog, positionsOf, systemClock, systemIds, type Ledger } from '#application';
import { openEmbeddedStore, type EventStore } from '#event-store';
import { openViews, type Views } from '#views';
import type { LedgerConfig } from './config/config.js';
import { ConfigError } from './config/variables.js';
import { Metrics } from './observe/metrics.js';

/** Everything behind the surfaces: the log, the views, the commands. */
export interface Runtime {
  readonly store: EventStore;
  readonly views: Views;
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  /** For people, in the line that says the service is ready. */
  readonly eventsName: string;
  readonly viewsName: string;
  close(): Promise<void>;
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Parents one by one: where a folder can never be, such as below /proc, Node's own `recursive` tries for ever. */
const makeFolder = async (folder: string): Promise<void> => {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    // Another process was faster.
    if (!isFolder(folder)) throw error;
  });
};

const openFolder = async (config: LedgerConfig): Promise<string> => {
  const folder = resolve(config.dataDir);
  try {
    await makeFolder(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError('LEDGER_DATA_DIR', config.dataDir, `a folder this process may write (${reason})`);
  }
  return folder;
};

/** Opens in the order in which each needs the one before, and closes what it opened when a later one fails. */
export const openRuntime = async (config: LedgerConfig, logger: Logger): Promise<Runtime> => {
  const folder = await openFolder(config);
  const metrics = new Metrics();
  const onCommit = ({ events }: { readonly events: number }): void => {
    metrics.committed(events);
  };
  const store = await openEmbeddedStore({ folder, onCommit });
  try {
    return await openOn(store, { folder, metrics, config, logger });
  } catch (error) {
    await store.close();
    throw error;
  }
};

interface Setting {
  readonly folder: string;
  readonly metrics: Metrics;
  readonly config: LedgerConfig;
  readonly logger: Logger;
}

const openOn = async (store: EventStore, { folder, metrics, config, logger }: Setting): Promise<Runtime> => {
  const { namespace } = config;
  const logId = await openLog(store, namespace, systemIds, systemClock);
  const file = join(folder, 'views.db');
  const positions = positionsOf(logId);
  const views = await openViews({
    store,
    namespace,
    clock: systemClock,
    logger,
    metrics,
    file,
    logId,
    positions,
  });
  try {
    const ledger = await openLedgerOn(store, views, { folder, metrics, config, logger });
    views.start();
    const close = async (): Promise<void> => {
      await ledger.close();
      await views.close();
      await store.close();
    };
    return {
      store,
      views,
      ledger,
      metrics,
      eventsName: `embedded:${folder}`,
      viewsName: `sqlite:${file}`,
      close,
    };
  } catch (error) {
    await views.close();
    throw error;
  }
};

const openLedgerOn = (
  store: EventStore,
  views: Views,
  { metrics, config, logger }: Setting,
): Promise<Ledger> =>
  openLedger({
    store,
    snapshots: views.snapshots,
    cancellationRoots: views.reader,
    clock: systemClock,
    ids: systemIds,
    namespace: config.namespace,
    hotFoldsMiB: config.hotFoldsMiB,
    appended: (position) => {
      views.noteAppended(position);
    },
    logger,
    metrics: {
      appended: (events, milliseconds) => {
        metrics.appended(events, milliseconds);
      },
      refused: (code) => {
        metrics.refused(code);
      },
      conflict: () => {
        metrics.conflict();
      },
    },
  });
