import type { EventStore } from '#event-store';
import type { CancellationReader, LiveTasks, TaskCommands, TaskReader } from './application.js';
import { RootCertificates } from './cancellations/cancellation-reader.js';
import { Adoptions } from './commands/adopt.js';
import { Cancels } from './commands/cancel.js';
import { CancellationStreams } from './commands/cancellation-streams.js';
import { Creates } from './commands/create.js';
import { Desk } from './commands/desk.js';
import { LateStreams } from './commands/late-streams.js';
import { LedgerCommands } from './commands/ledger-commands.js';
import { LinkStep } from './commands/links.js';
import { Reports } from './commands/report.js';
import { SideStreams } from './commands/side-streams.js';
import { TaskWriter } from './commands/task-writer.js';
import { HotFolds } from './folds/hot-folds.js';
import { TaskLoader } from './folds/task-loader.js';
import { LiveHub } from './live/live-hub.js';
import { LogFedTasks } from './live/live-tasks.js';
import { openLog } from './log.js';
import type { CancellationRoots } from './ports/cancellation-roots.js';
import type { Clock, Ids } from './ports/clock.js';
import type { Snapshots } from './ports/snapshots.js';
import { silentLogger, type LedgerLogger, type LedgerMetrics } from './ports/telemetry.js';
import { positionsOf, type Positions } from './positions.js';
import { Documents } from './reading/documents.js';
import { StreamTaskReader } from './reading/task-reader.js';
import { Timelines } from './reading/timelines.js';
import { Causes } from './reading/why.js';
import { Appender } from './store/appender.js';
import { StreamQueues } from './store/stream-queues.js';
import { StreamReader } from './store/stream-reader.js';
import { streamNames, type StreamNames } from './streams.js';

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
  /** Called with the store's position of every acknowledged append to a task: lists wait for it. */
  readonly appended?: (position: string) => void;
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

export interface Ledger {
  readonly logId: string;
  readonly commands: TaskCommands;
  readonly reader: TaskReader;
  readonly live: LiveTasks;
  readonly cancellations: CancellationReader;
  readonly positions: Positions;
  /** Edge position of the newest event that this process appended or has seen. */
  readonly newest: string | undefined;
  readonly counters: LedgerCounters;
  /** Throws hot folds away: every one, or one task's. Nothing but speed is lost. */
  forget(taskId?: string): void;
  close(): Promise<void>;
}

const bytesOfMiB = 1_048_576;

/** Everything that is made once and shared by writers, readers and watchers. */
interface Core {
  readonly options: LedgerOptions;
  readonly logId: string;
  readonly soleWriter: boolean;
  readonly names: StreamNames;
  readonly positions: Positions;
  readonly hot: HotFolds;
  readonly reader: StreamReader;
  readonly loader: TaskLoader;
  readonly hub: LiveHub;
  readonly metrics: LedgerMetrics;
  readonly sides: SideStreams;
  readonly queues: StreamQueues;
  readonly appender: Appender;
  readonly cancellations: CancellationStreams;
}

/** Wrapped one by one: metrics may be an instance of a class, whose methods a spread would lose. */
const completed = (metrics: Partial<LedgerMetrics> = {}): LedgerMetrics => ({
  appended: (events, milliseconds) => metrics.appended?.(events, milliseconds),
  refused: (code) => metrics.refused?.(code),
  conflict: () => metrics.conflict?.(),
});

const coreOf = (options: LedgerOptions, logId: string): Core => {
  const { store, ids, logger = silentLogger, snapshots } = options;
  const names = streamNames(options.namespace);
  const metrics = completed(options.metrics);
  const hot = new HotFolds(options.hotFoldsMiB * bytesOfMiB);
  const reader = new StreamReader(store);
  const loader = new TaskLoader({ reader, names, hot, logger, ...(snapshots && { snapshots }) });
  const queues = new StreamQueues();
  const appender = new Appender(store, ids, metrics);
  const sides = new SideStreams({ reader, appender, queues, ids });
  return {
    options,
    logId,
    soleWriter: options.soleWriter ?? true,
    names,
    positions: positionsOf(logId),
    hot,
    reader,
    loader,
    hub: new LiveHub({ store, names, hot, logger }),
    metrics,
    sides,
    queues,
    appender,
    cancellations: new CancellationStreams(sides, reader, names, logId),
  };
};

const writerOf = (core: Core): TaskWriter => {
  const { options, loader, hot, queues, appender, names, metrics, soleWriter, hub } = core;
  const { clock, ids } = options;
  const appended = (taskId: string, revision: number, position: string): void => {
    hub.appended(taskId, revision, position);
    options.appended?.(position);
  };
  return new TaskWriter({ loader, hot, queues, appender, names, clock, ids, metrics, soleWriter, appended });
};

const commandsOf = (core: Core): TaskCommands => {
  const { options, loader, positions, logId, sides, names, metrics, cancellations } = core;
  const { clock, ids } = options;
  const writer = writerOf(core);
  const desk = new Desk({ writer, loader, positions, clock, ids, logId });
  const late = new LateStreams(sides, names, logId);
  const links = new LinkStep({ writer, late, clock, logId });
  return new LedgerCommands({
    creates: new Creates(desk, links),
    reports: new Reports(desk, late),
    adoptions: new Adoptions(desk, links),
    cancels: new Cancels(desk, cancellations),
    metrics,
  });
};

const readerOf = (core: Core): TaskReader => {
  const { options, loader, hot, reader, names, positions, soleWriter, cancellations } = core;
  const snapshots = options.snapshots && { snapshots: options.snapshots };
  return new StreamTaskReader({
    loader,
    hot,
    reader,
    names,
    positions,
    soleWriter,
    documents: new Documents({ loader, hot, soleWriter, ...snapshots }),
    timelines: new Timelines({ loader, reader, names, positions }),
    causes: new Causes({ loader, reader, names, cancellations }),
  });
};

const countersOf = ({ reader, hot }: Core): LedgerCounters => ({
  streamReads: reader.reads,
  hotHits: hot.hits,
  hotMisses: hot.misses,
  hotFolds: hot.size,
  hotBytes: hot.bytes,
});

/**
 * Opens the ledger on a store: fixes or reads the log's id, and follows the log before anything is served.
 * @throws DomainError `unavailable`, or what the store throws, when the log cannot be opened
 */
export const openLedger = async (options: LedgerOptions): Promise<Ledger> => {
  const { store, namespace, ids, clock, cancellationRoots } = options;
  const core = coreOf(options, await openLog(store, namespace, ids, clock));
  const { logId, positions, hub, hot, loader, reader, names, cancellations } = core;
  await hub.start();
  return {
    logId,
    positions,
    commands: commandsOf(core),
    reader: readerOf(core),
    live: new LogFedTasks(hub, { store, names, positions, hot, loader, reader }),
    cancellations: new RootCertificates({
      streams: cancellations,
      loader,
      ...(cancellationRoots && { roots: cancellationRoots }),
    }),
    get newest() {
      return hub.newest && positions.toEdge(hub.newest);
    },
    get counters() {
      return countersOf(core);
    },
    forget: (taskId) => {
      if (taskId === undefined) hot.clear();
      else hot.drop(taskId);
    },
    close: () => hub.close(),
  };
};
