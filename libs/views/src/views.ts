import {
  aloneLeadership,
  type Clock,
  type DueTimers,
  type Leadership,
  type LedgerLogger,
  type Positions,
  silentLogger,
  type Snapshots,
  type Standing,
} from '#application';
import { foldVersion } from '#domain';
import type { EventStore } from '#event-store';
import { Keeping } from './keeping/keeping.js';
import { ServingView, sharedRun } from './keeping/serving-view.js';
import { Freshness } from './lists/freshness.js';
import { Lists } from './lists/lists.js';
import { noViewMetrics, type ViewMetrics } from './metrics.js';
import type { ViewReader } from './reading.js';
import { SqliteViewStorage, type ViewStorage } from './store/index.js';
import { Verifier } from './verification/verifier.js';
import { Reader } from './view-reader.js';
import { ViewSnapshots } from './view-snapshots.js';
import { ViewTimers } from './view-timers.js';

interface SharedOptions {
  readonly store: EventStore;
  readonly namespace: string;
  readonly logId: string;
  readonly positions: Positions;
  readonly clock: Clock;
  readonly logger?: LedgerLogger;
  readonly metrics?: ViewMetrics;
  /** Who keeps the tables in step with the log, where several processes serve from them. Default: this one. */
  readonly leadership?: Leadership;
  /** Whether this process may keep the tables at all; default true. */
  readonly projects?: boolean;
}

/**
 * `storage`: where the tables are. `file`: path of a SQLite file for them, or `:memory:`; a view that is being filled
 * stands in `<file>.next`.
 */
export type ViewOptions = SharedOptions & ({ readonly storage: ViewStorage } | { readonly file: string });

export interface Views {
  readonly snapshots: Snapshots;
  readonly reader: ViewReader;
  readonly timers: DueTimers;
  /** Follows the log from now on where this process leads, and the tables where another one does. */
  start(): void;
  /** Whether this process keeps the tables. */
  readonly standing: Standing;
  /** Whether the views have once been in step with the log, and answer. */
  readonly ready: boolean;
  /**
   * Tells of a position that this process has appended or seen, in the store's form or the edge's: lists that begin
   * from now on wait for it.
   */
  noteAppended(position: string): void;
  /** Resolves when no batch is being written any more. The store is left open. */
  close(): Promise<void>;
}

const positionLength = 20;

/** The tables that were left behind serve at once, as snapshots too: whoever reads one compares it with the log. */
const serveWhatIsThere = async (storage: ViewStorage, serving: ServingView, logId: string): Promise<void> => {
  const database = await storage.openLive();
  if (database === undefined) return;
  const mark = await database.mark();
  const run = storage.shared && sharedRun(database);
  if (mark.logId === logId && mark.foldVersion === foldVersion) serving.serve(database, mark.position, run);
  else await database.close();
};

/** Opens the views of a log; they stand still until {@link Views.start}. */
export const openViews = async (options: ViewOptions): Promise<Views> => {
  const { store, namespace, logId, positions, clock, projects = true } = options;
  const { logger = silentLogger, metrics = noViewMetrics, leadership = aloneLeadership(logger) } = options;
  const storage = 'storage' in options ? options.storage : new SqliteViewStorage(options.file);
  const serving = new ServingView();
  await serveWhatIsThere(storage, serving, logId);
  const log = { store, namespace };
  const kept = { ...log, clock, logger, metrics, storage, logId, serving, leadership, projects };
  const keeping = new Keeping(kept);
  const freshness = new Freshness({ ...log, serving, positions });
  const lists = new Lists({ serving, freshness, positions, logId });
  const verifier = new Verifier({ ...log, serving });
  return {
    snapshots: new ViewSnapshots(serving, logger),
    reader: new Reader({ ...log, serving, keeping, lists, freshness, verifier, positions }),
    timers: new ViewTimers(serving),
    start: () => {
      keeping.start();
    },
    get standing() {
      return keeping.standing;
    },
    get ready() {
      return serving.ready;
    },
    noteAppended: (position) => {
      serving.note(position.slice(-positionLength));
    },
    close: () => keeping.close(),
  };
};
