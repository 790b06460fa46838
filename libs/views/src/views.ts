import {
  type Clock,
  type DueTimers,
  type LedgerLogger,
  type Positions,
  silentLogger,
  type Snapshots,
} from '#application';
import { foldVersion } from '#domain';
import type { EventStore } from '#event-store';
import { ServingView } from './keeping/serving-view.js';
import { ViewKeeper } from './keeping/view-keeper.js';
import { Freshness } from './lists/freshness.js';
import { Lists } from './lists/lists.js';
import { noViewMetrics, type ViewMetrics } from './metrics.js';
import type { ViewReader } from './reading.js';
import { SqliteViewStorage, type ViewStorage } from './store/index.js';
import { Verifier } from './verification/verifier.js';
import { Reader } from './view-reader.js';
import { ViewSnapshots } from './view-snapshots.js';
import { ViewTimers } from './view-timers.js';

export interface ViewOptions {
  /** Path of the SQLite file, or `:memory:`. A view that is being filled stands in `<file>.next`. */
  readonly file: string;
  readonly store: EventStore;
  readonly namespace: string;
  readonly logId: string;
  readonly positions: Positions;
  readonly clock: Clock;
  readonly logger?: LedgerLogger;
  readonly metrics?: ViewMetrics;
}

export interface Views {
  readonly snapshots: Snapshots;
  readonly reader: ViewReader;
  readonly timers: DueTimers;
  /** Follows the log from now on. */
  start(): void;
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
  if (mark.logId === logId && mark.foldVersion === foldVersion) serving.serve(database, mark.position);
  else await database.close();
};

/** Opens the views of a log; they stand still until {@link Views.start}. */
export const openViews = async (options: ViewOptions): Promise<Views> => {
  const { store, namespace, logId, positions, clock } = options;
  const logger = options.logger ?? silentLogger;
  const metrics = options.metrics ?? noViewMetrics;
  const storage = new SqliteViewStorage(options.file);
  const serving = new ServingView();
  await serveWhatIsThere(storage, serving, logId);
  const keeper = new ViewKeeper({ store, namespace, clock, logger, metrics, storage, logId, serving });
  const freshness = new Freshness({ serving, store, namespace, positions });
  const lists = new Lists({ serving, freshness, positions, logId });
  const verifier = new Verifier({ serving, store, namespace });
  return {
    snapshots: new ViewSnapshots(serving, logger),
    reader: new Reader({ serving, keeper, lists, freshness, verifier, positions, store, namespace }),
    timers: new ViewTimers(serving),
    start: () => {
      keeper.start();
    },
    get ready() {
      return serving.ready;
    },
    noteAppended: (position) => {
      serving.note(position.slice(-positionLength));
    },
    close: () => keeper.close(),
  };
};
