import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { openLedger, openLog, positionsOf, systemClock, systemIds, type Ledger } from '#application';
import { openEmbeddedStore, type EventStore } from '#event-store';
import { openViews, type Views } from '#views';
import type { LedgerConfig } from './config/config.js';
import { ConfigError } from './config/variables.js';
import { Metrics, type SagaReading } from './observe/metrics.js';
import { reasonOf } from './reason.js';
import { startSweeping } from './sweeping.js';

/** Everything behind the surfaces: the log, the views, the commands, and what carries cancellations on. */
export interface Runtime {
  readonly store: EventStore;
  readonly views: Views;
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  /** How far the saga has come. */
  sagaReading(): Promise<SagaReading>;
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
    const allowed = `a folder this process may write (${reasonOf(error)})`;
    throw new ConfigError('LEDGER_DATA_DIR', config.dataDir, allowed);
  }
  return folder;
};

interface Setting {
  readonly folder: string;
  readonly metrics: Metrics;
  readonly config: LedgerConfig;
  readonly logger: Logger;
}

/** What was opened before is closed where the next thing cannot be. */
const orClose = async <Opened>(opening: Promise<Opened>, close: () => Promise<void>): Promise<Opened> => {
  try {
    return await opening;
  } catch (error) {
    await close();
    throw error;
  }
};

/** Opens in the order in which each needs the one before, and closes what it opened when a later one fails. */
export const openRuntime = async (config: LedgerConfig, logger: Logger): Promise<Runtime> => {
  const folder = await openFolder(config);
  const metrics = new Metrics();
  const onCommit = ({ events }: { readonly events: number }): void => {
    metrics.committed(events);
  };
  const store = await openEmbeddedStore({ folder, onCommit });
  return orClose(openOnStore(store, { folder, metrics, config, logger }), () => store.close());
};

const viewsFile = ({ folder }: Setting): string => join(folder, 'views.db');

const openOnStore = async (store: EventStore, setting: Setting): Promise<Runtime> => {
  const { metrics, config, logger } = setting;
  const { namespace } = config;
  const logId = await openLog(store, namespace, systemIds, systemClock);
  const views = await openViews({
    store,
    namespace,
    clock: systemClock,
    logger,
    metrics,
    file: viewsFile(setting),
    logId,
    positions: positionsOf(logId),
  });
  return orClose(openOnViews(store, views, setting), () => views.close());
};

const openOnViews = async (store: EventStore, views: Views, setting: Setting): Promise<Runtime> => {
  const { folder, metrics, config, logger } = setting;
  const ledger = await openLedgerOn(store, views, setting);
  views.start();
  const parts = { store, views, ledger, folder, namespace: config.namespace, metrics, logger };
  const sweeping = await orClose(startSweeping(parts), () => ledger.close());
  return {
    store,
    views,
    ledger,
    metrics,
    sagaReading: () => sweeping.reading(),
    eventsName: `embedded:${folder}`,
    viewsName: `sqlite:${viewsFile(setting)}`,
    close: async () => {
      await sweeping.close();
      await ledger.close();
      await views.close();
      await store.close();
    },
  };
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
    cancelMode: config.cancelMode,
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
