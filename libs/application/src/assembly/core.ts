import type { CancelMode } from '#domain';
import { Openings } from '../cascade/openings.js';
import { SystemStamps } from '../cascade/system-stamps.js';
import { LinkStep } from '../commands/links.js';
import { TaskWriter } from '../commands/task-writer.js';
import { HotFolds } from '../folds/hot-folds.js';
import { SeenRevisions } from '../folds/seen-revisions.js';
import { TaskLoader } from '../folds/task-loader.js';
import { LiveHub } from '../live/live-hub.js';
import type { LedgerOptions } from '../ledger-options.js';
import { silentLogger, type LedgerLogger, type LedgerMetrics } from '../ports/telemetry.js';
import { positionsOf, type Positions } from '../positions.js';
import { CancellationStreams } from '../sides/cancellation-streams.js';
import { LateStreams } from '../sides/late-streams.js';
import { TaskEvents } from '../sides/root-events.js';
import type { SideParts } from '../sides/side-streams.js';
import { Appender } from '../store/appender.js';
import { StreamQueues } from '../store/stream-queues.js';
import { StreamReader } from '../store/stream-reader.js';
import { streamNames, type StreamNames } from '../streams.js';
import { WorkerNotices } from '../workers/worker-notices.js';

const bytesOfMiB = 1_048_576;

/** Everything that is made once and shared by writers, readers, watchers and whoever carries cancellations. */
export interface Core {
  readonly options: LedgerOptions;
  readonly logId: string;
  readonly soleWriter: boolean;
  readonly cancelMode: CancelMode;
  readonly names: StreamNames;
  readonly positions: Positions;
  readonly hot: HotFolds;
  readonly reader: StreamReader;
  readonly loader: TaskLoader;
  readonly queues: StreamQueues;
  readonly hub: LiveHub;
  readonly logger: LedgerLogger;
  readonly metrics: LedgerMetrics;
  readonly writer: TaskWriter;
  readonly events: TaskEvents;
  readonly late: LateStreams;
  readonly cancellations: CancellationStreams;
  readonly stamps: SystemStamps;
  readonly openings: Openings;
  readonly links: LinkStep;
  readonly notices: WorkerNotices;
  /** Throws every fold away. */
  readonly forget: () => void;
}

/** Wrapped one by one: metrics may be an instance of a class, whose methods a spread would lose. */
const completed = (metrics: Partial<LedgerMetrics> = {}): LedgerMetrics => ({
  appended: (events, milliseconds) => metrics.appended?.(events, milliseconds),
  refused: (code) => metrics.refused?.(code),
  conflict: () => metrics.conflict?.(),
});

/** What reads and keeps folds. */
const foldsOf = (options: LedgerOptions, logId: string) => {
  const { store, logger = silentLogger, snapshots, soleWriter = true } = options;
  const names = streamNames(options.namespace);
  const hot = new HotFolds(options.hotFoldsMiB * bytesOfMiB);
  const reader = new StreamReader(store);
  const seen = soleWriter ? {} : { seen: new SeenRevisions() };
  const read = { reader, names, hot, logger, soleWriter, ...seen };
  const loader = new TaskLoader({ ...read, ...(snapshots && { snapshots }) });
  const toldOf = options.seen && { toldOf: options.seen };
  const hub = new LiveHub({ store, names, hot, logger, ...seen, ...toldOf });
  const events = new TaskEvents(reader, names);
  return { ...read, logId, positions: positionsOf(logId), loader, hub, events };
};

/** What writes to single streams. */
const writersOf = (options: LedgerOptions, folds: ReturnType<typeof foldsOf>) => {
  const { store, ids, clock } = options;
  const { reader, names, hot, loader, hub, soleWriter, logId, seen } = folds;
  const metrics = completed(options.metrics);
  const queues = new StreamQueues();
  const appender = new Appender(store, ids, metrics);
  const appended = (stream: string, revision: number, position: string): void => {
    hub.appended(stream, revision, position);
    options.appended?.(position);
  };
  const sides: SideParts = { reader, appender, queues, ids, soleWriter, appended };
  const late = new LateStreams(sides, names, logId);
  const cancellations = new CancellationStreams(sides, names, logId);
  const shared = { loader, hot, queues, appender, names, clock, ids, metrics, soleWriter };
  const known = seen && { seen };
  return { metrics, queues, late, cancellations, writer: new TaskWriter({ ...shared, ...known, appended }) };
};

export const coreOf = (options: LedgerOptions, logId: string): Core => {
  const { clock, cancelMode = 'immediate' } = options;
  const folds = foldsOf(options, logId);
  const writers = writersOf(options, folds);
  const { reader, names, loader, events, hot, logger } = folds;
  const { late, cancellations, writer } = writers;
  const stamps = new SystemStamps(logId);
  return {
    options,
    cancelMode,
    ...folds,
    ...writers,
    stamps,
    openings: new Openings({ loader, events, cancellations, late, stamps, reader, names }),
    links: new LinkStep({ writer, late, clock, logId }),
    notices: new WorkerNotices({ cancellations, stamps, clock, logger }),
    forget: () => {
      hot.clear();
      late.forget();
      cancellations.forget();
    },
  };
};
